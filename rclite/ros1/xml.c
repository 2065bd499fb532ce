/* What the ROS 1 backend needs of xmlrpc-c beyond its functions: set-up, building arguments,
 * reading the answers of ROS's APIs, and refusing documents that grow when they are parsed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros1/http.h"
#include "ros1/rpc.h"

static void setup_once(void) {
    xmlrpc_env env;
    xmlrpc_env_init(&env);
    xmlrpc_init(&env);
    xmlrpc_limit_set(XMLRPC_XML_SIZE_LIMIT_ID, RCLITEI_HTTP_BODY_BYTES_MAX);
    xmlrpc_env_clean(&env);
}

void rclitei_xmlrpc_setup(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, setup_once);
}

/* A document type can define entities that multiply. XML-RPC has none; a document in another
 * encoding than UTF-8, where it would not be found, holds zeros. */
bool rclitei_xmlrpc_is_plain(const char *body, size_t size) {
    return !memmem(body, size, "<!DOCTYPE", 9) && !memchr(body, '\0', size);
}

xmlrpc_value *rclitei_xmlrpc_build(const char *format, va_list arguments) {
    xmlrpc_env env;
    xmlrpc_value *params = NULL;
    const char *tail = "";
    xmlrpc_env_init(&env);
    xmlrpc_build_value_va(&env, format, arguments, &params, &tail);
    if (env.fault_occurred) {
        params = NULL;
    }
    xmlrpc_env_clean(&env);
    return params;
}

void rclitei_xmlrpc_text_free(const char *text) {
    free((void *)(uintptr_t)text);
}

static rclite_result take_answer(xmlrpc_env *env, xmlrpc_value *answer, xmlrpc_value **ret_value,
    char *ret_text, size_t text_bytes) {
    xmlrpc_value *code_value = NULL, *text_value = NULL;
    const char *text = NULL;
    xmlrpc_int32 code = 0;
    rclite_result result = RCLITE_ERR_MALFORMED;
    *ret_value = NULL;
    if (xmlrpc_value_type(answer) != XMLRPC_TYPE_ARRAY || xmlrpc_array_size(env, answer) < 2) {
        snprintf(ret_text, text_bytes, "the answer is no [code, text, value]");
        return result;
    }
    xmlrpc_array_read_item(env, answer, 0, &code_value);
    xmlrpc_array_read_item(env, answer, 1, &text_value);
    if (!env->fault_occurred) {
        xmlrpc_read_int(env, code_value, &code);
    }
    if (!env->fault_occurred) {
        xmlrpc_read_string(env, text_value, &text);
    }
    if (env->fault_occurred) {
        snprintf(ret_text, text_bytes, "the answer is no [code, text, value]");
    } else if (code != 1) {
        snprintf(ret_text, text_bytes, "%s", text);
        result = RCLITE_ERR_REJECTED;
    } else {
        result = RCLITE_OK;
        if (xmlrpc_array_size(env, answer) > 2) {
            xmlrpc_array_read_item(env, answer, 2, ret_value);
        } else {
            *ret_value = xmlrpc_int_new(env, 0);
        }
    }
    rclitei_xmlrpc_text_free(text);
    if (code_value) {
        xmlrpc_DECREF(code_value);
    }
    if (text_value) {
        xmlrpc_DECREF(text_value);
    }
    return result;
}

rclite_result rclitei_rpc_parse_answer(
    const char *body, size_t size, xmlrpc_value **ret_value, char *ret_text, size_t text_bytes) {
    if (!rclitei_xmlrpc_is_plain(body, size)) {
        snprintf(ret_text, text_bytes, "the answer holds a document type");
        return RCLITE_ERR_MALFORMED;
    }
    xmlrpc_env env;
    xmlrpc_value *answer = NULL;
    int fault_code = 0;
    const char *fault = NULL;
    rclite_result result;
    xmlrpc_env_init(&env);
    xmlrpc_parse_response2(&env, body, size, &answer, &fault_code, &fault);
    if (env.fault_occurred) {
        snprintf(ret_text, text_bytes, "the answer does not parse: %s", env.fault_string);
        result = RCLITE_ERR_MALFORMED;
    } else if (fault) {
        snprintf(ret_text, text_bytes, "fault %d: %s", fault_code, fault);
        rclitei_xmlrpc_text_free(fault);
        result = RCLITE_ERR_REJECTED;
    } else {
        result = take_answer(&env, answer, ret_value, ret_text, text_bytes);
        xmlrpc_DECREF(answer);
    }
    xmlrpc_env_clean(&env);
    return result;
}
