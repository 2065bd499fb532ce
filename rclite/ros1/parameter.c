/* Parameters on the master's parameter server. */
#include "core/parameter.h"
#include "core/names.h"
#include "ros1/ros1.h"

#include <limits.h>
#include <string.h>

static rclite_result take_value(rclite_node *node, const char *name, xmlrpc_value *value,
    rclite_parameter *ret_value, rclite_error *reterr) {
    rclite_parameter parameter;
    xmlrpc_env env;
    xmlrpc_int32 narrow;
    xmlrpc_bool boolean;
    xmlrpc_int64 wide;
    const char *text = NULL;
    rclite_result result = RCLITE_OK;
    memset(&parameter, 0, sizeof parameter);
    xmlrpc_env_init(&env);
    switch (xmlrpc_value_type(value)) {
    case XMLRPC_TYPE_BOOL:
        parameter.kind = RCLITE_PARAMETER_BOOL;
        xmlrpc_read_bool(&env, value, &boolean);
        parameter.boolean = boolean != 0;
        break;
    case XMLRPC_TYPE_INT:
        parameter.kind = RCLITE_PARAMETER_INTEGER;
        xmlrpc_read_int(&env, value, &narrow);
        parameter.integer = narrow;
        break;
    case XMLRPC_TYPE_I8:
        parameter.kind = RCLITE_PARAMETER_INTEGER;
        xmlrpc_read_i8(&env, value, &wide);
        parameter.integer = wide;
        break;
    case XMLRPC_TYPE_DOUBLE:
        parameter.kind = RCLITE_PARAMETER_DOUBLE;
        xmlrpc_read_double(&env, value, &parameter.real);
        break;
    case XMLRPC_TYPE_STRING:
        parameter.kind = RCLITE_PARAMETER_STRING;
        xmlrpc_read_string(&env, value, &text);
        result =
            rclite_string_assign(&parameter.string, text ? text : "", &node->context->allocator);
        rclitei_xmlrpc_text_free(text);
        break;
    default:
        result = rclitei_fail(reterr, RCLITE_ERR_TYPE, 0,
            "parameter %.100s is a list, a dictionary or binary; only single values are read",
            name);
    }
    if (result == RCLITE_OK && env.fault_occurred) {
        result = rclitei_fail(
            reterr, RCLITE_ERR_MALFORMED, 0, "parameter %.100s: %.100s", name, env.fault_string);
    }
    xmlrpc_env_clean(&env);
    if (result == RCLITE_OK) {
        *ret_value = parameter;
    }
    return result;
}

rclite_result rclitei_ros1_parameter_get(
    rclite_node *node, const char *name, rclite_parameter *ret_value, rclite_error *reterr) {
    struct ros1_context *context = rclitei_ros1_context(node);
    char *full_name;
    rclite_result result =
        rclitei_names_resolve(node, RCLITEI_NAME_PARAMETER, name, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    xmlrpc_value *value = NULL;
    result = rclitei_rpc_call(context->rpc, context->master_uri, &value, reterr, "getParam", "(ss)",
        node->full_name, full_name);
    if (result == RCLITE_ERR_REJECTED) { /* that is how the master says that it is not set */
        result = RCLITE_EMPTY;
    } else if (result == RCLITE_OK) {
        result = take_value(node, full_name, value, ret_value, reterr);
        xmlrpc_DECREF(value);
    }
    rclitei_release(&node->context->allocator, full_name);
    return result;
}

static xmlrpc_value *make_value(xmlrpc_env *env, const rclite_parameter *parameter) {
    switch (parameter->kind) {
    case RCLITE_PARAMETER_BOOL:
        return xmlrpc_bool_new(env, parameter->boolean);
    case RCLITE_PARAMETER_INTEGER:
        return xmlrpc_int_new(env, (xmlrpc_int32)parameter->integer);
    case RCLITE_PARAMETER_DOUBLE:
        return xmlrpc_double_new(env, parameter->real);
    default:
        return xmlrpc_string_new(env, parameter->string.data ? parameter->string.data : "");
    }
}

static xmlrpc_value *make_params(
    const char *node_name, const char *name, const rclite_parameter *parameter) {
    xmlrpc_env env;
    xmlrpc_value *params = NULL;
    xmlrpc_env_init(&env);
    xmlrpc_value *value = make_value(&env, parameter);
    if (!env.fault_occurred) {
        params = xmlrpc_build_value(&env, "(ssV)", node_name, name, value);
        xmlrpc_DECREF(value);
    }
    if (env.fault_occurred) {
        params = NULL;
    }
    xmlrpc_env_clean(&env);
    return params;
}

rclite_result rclitei_ros1_parameter_set(
    rclite_node *node, const char *name, const rclite_parameter *parameter, rclite_error *reterr) {
    struct ros1_context *context = rclitei_ros1_context(node);
    if (parameter->kind == RCLITE_PARAMETER_INTEGER &&
        (parameter->integer > INT32_MAX || parameter->integer < INT32_MIN)) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "parameter %.100s: integers have 32 bits on ROS 1", name);
    }
    char *full_name;
    rclite_result result =
        rclitei_names_resolve(node, RCLITEI_NAME_PARAMETER, name, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    xmlrpc_value *params = make_params(node->full_name, full_name, parameter);
    if (params) {
        result = rclitei_rpc_call_value(
            context->rpc, context->master_uri, NULL, reterr, "setParam", params);
        xmlrpc_DECREF(params);
    } else {
        result = rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "parameter %.100s: the text is no UTF-8", full_name);
    }
    rclitei_release(&node->context->allocator, full_name);
    return result;
}

rclite_result rclitei_ros1_parameter_search(
    rclite_node *node, const char *name, rclite_string *ret_full_name, rclite_error *reterr) {
    struct ros1_context *context = rclitei_ros1_context(node);
    xmlrpc_value *value = NULL;
    rclite_result result = rclitei_rpc_call(context->rpc, context->master_uri, &value, reterr,
        "searchParam", "(ss)", node->full_name, name);
    if (result == RCLITE_ERR_REJECTED) {
        return RCLITE_EMPTY;
    }
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_parameter found = {0};
    result = take_value(node, name, value, &found, reterr);
    xmlrpc_DECREF(value);
    if (result == RCLITE_OK && found.kind == RCLITE_PARAMETER_STRING) {
        result = rclite_string_assign(ret_full_name, found.string.data, &node->context->allocator);
    } else if (result == RCLITE_OK) {
        result = RCLITE_EMPTY;
    }
    rclite_parameter_done(node, &found);
    return result;
}

void rclitei_ros1_parameters_send(struct ros1_node *node) {
    struct ros1_context *context = node->context;
    const rclitei_names *names = context->base.names;
    const rclite_allocator *allocator = &context->base.allocator;
    for (size_t i = 0; i < names->setting_count; i++) {
        const rclitei_setting *setting = &names->settings[i];
        char *full_name;
        char *private_name = rclitei_format(allocator, "~%s", setting->name);
        rclite_parameter value = {0};
        if ((!setting->node || strcmp(setting->node, node->base->name) == 0) && private_name &&
            rclitei_names_resolve(
                node->base, RCLITEI_NAME_PARAMETER, private_name, &full_name, NULL) == RCLITE_OK) {
            xmlrpc_value *params = NULL;
            if (rclitei_parameter_parse(setting->value, allocator, &value) == RCLITE_OK) {
                params = make_params(node->base->full_name, full_name, &value);
            }
            if (params) {
                rclitei_rpc_start_value(context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS,
                    NULL, NULL, "setParam", params);
                xmlrpc_DECREF(params);
            }
            rclite_parameter_done(node->base, &value);
            rclitei_release(allocator, full_name);
        }
        rclitei_release(allocator, private_name);
    }
}
