/* Values that the kit gives to a peer in Lua: fields, times, the job. */
#include "lua_peer.h"

void lua_peer_set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text); /* NULL becomes nil */
    lua_setfield(L, -2, name);
}

void lua_peer_set_number(lua_State *L, const char *name, double number) {
    lua_pushnumber(L, number);
    lua_setfield(L, -2, name);
}

void lua_peer_push_time(lua_State *L, int64_t ns) {
    lua_createtable(L, 0, 2);
    lua_peer_set_number(L, "sec", (double)(ns / 1000000000));
    lua_peer_set_number(L, "nanosec", (double)(ns % 1000000000));
}

static void push_qos(lua_State *L, const peer_qos *qos) {
    lua_newtable(L);
    lua_peer_set_text(
        L, "reliability", qos->reliability == PEER_RELIABLE ? "reliable" : "best_effort");
    lua_peer_set_text(
        L, "durability", qos->durability == PEER_VOLATILE ? "volatile" : "transient_local");
    lua_peer_set_text(L, "history", qos->history == PEER_KEEP_LAST ? "keep_last" : "keep_all");
    lua_peer_set_number(L, "depth", qos->depth);
    lua_peer_set_number(L, "deadline", (double)qos->deadline_ns / 1e9);
    lua_peer_set_number(L, "lifespan", (double)qos->lifespan_ns / 1e9);
}

void lua_peer_push_job(lua_State *L, const peer_job *job) {
    static const char *const patterns[] = {"topic", "service", "action", "startup"};
    static const char *const roles[] = {"publisher", "subscriber", "client", "server"};
    lua_newtable(L);
    lua_peer_set_number(L, "generation", job->generation);
    lua_peer_set_text(L, "pattern", patterns[job->pattern]);
    lua_peer_set_text(L, "role", roles[job->role]);
    lua_pushboolean(L, job->echo);
    lua_setfield(L, -2, "echo");
    lua_peer_set_text(L, "node", job->node);
    lua_peer_set_text(L, "topic", job->topic);
    lua_peer_set_text(L, "echo_topic", job->echo_topic);
    lua_peer_set_text(L, "service", job->service);
    lua_peer_set_text(L, "action", job->action);
    lua_peer_set_text(L, "type", job->type);
    lua_peer_set_number(L, "payload_bytes", (double)job->payload_bytes);
    lua_peer_set_number(L, "in_flight", job->in_flight);
    lua_peer_set_text(L, "not_plain", peer_job_not_plain(job));
    push_qos(L, &job->qos);
    lua_setfield(L, -2, "qos");
}
