/* The parser of interface text: lines of "type name", "type NAME=value" and, on ROS 2, "type name
 * default", in sections divided by "---". It does not look at other files; nested types stay names.
 */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "types/definition.h"
#include "types/value.h"

typedef struct parser {
    const rclitei_source *source;
    rclitei_arena *arena;
    rclite_error *reterr;
    rclitei_section *section;
    uint32_t capacity; /* of members and of constants in each section */
    unsigned line;
} parser;

static rclite_result fail(parser *p, rclite_result code, const char *sentence, rclitei_slice what) {
    if (what.size > 80) {
        what.size = 80;
    }
    return rclitei_fail(p->reterr, code, 0, "%s:%u: %s: '%.*s'", p->source->path, p->line, sentence,
        (int)what.size, what.data);
}

static rclite_result fail_memory(parser *p) {
    return rclitei_fail(
        p->reterr, RCLITE_ERR_NO_MEMORY, 0, "%s:%u: out of memory", p->source->path, p->line);
}

/* The first word of rest, which is taken off it. */
static rclitei_slice take_word(rclitei_slice *rest, const char *stop) {
    size_t size = 0;
    while (size < rest->size && !strchr(stop, rest->data[size])) {
        size++;
    }
    rclitei_slice word = {rest->data, size};
    *rest = rclitei_slice_trim((rclitei_slice){rest->data + size, rest->size - size});
    return word;
}

static bool name_taken(const parser *p, rclitei_slice name) {
    for (uint32_t i = 0; i < p->section->member_count; i++) {
        const char *other = p->section->members[i].name;
        if (strlen(other) == name.size && memcmp(other, name.data, name.size) == 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->section->constant_count; i++) {
        const char *other = p->section->constants[i].name;
        if (strlen(other) == name.size && memcmp(other, name.data, name.size) == 0) {
            return true;
        }
    }
    return false;
}

/* One value of a scalar or element; scratch has room for value.size + 1 bytes. */
static bool scalar_fits(const rclitei_member *member, rclitei_slice value, char *scratch) {
    uint64_t number;
    size_t size;
    if (member->kind == RCLITE_FIELD_STRING) {
        return rclitei_value_string(value, scratch, &size) &&
               (member->string_bound == 0 || size <= member->string_bound);
    }
    return member->kind < RCLITE_FIELD_TIME && rclitei_value_parse(member->kind, value, &number);
}

static bool default_fits(const rclitei_member *member, rclitei_slice value, char *scratch) {
    if (member->array == RCLITE_ARRAY_NONE) {
        return scalar_fits(member, value, scratch);
    }
    uint32_t count = 0;
    rclitei_slice element;
    int more;
    while ((more = rclitei_value_next(&value, &element)) == 1) {
        if (!scalar_fits(member, element, scratch)) {
            return false;
        }
        count++;
    }
    if (more < 0) {
        return false;
    }
    if (member->array == RCLITE_ARRAY_FIXED) {
        return count == member->count;
    }
    return member->count == 0 || count <= member->count;
}

static rclite_result add_member(
    parser *p, rclitei_member *member, rclitei_slice name, rclitei_slice value) {
    if (value.size) {
        if (p->source->generation == RCLITE_ROS1) {
            return fail(p, RCLITE_ERR_MALFORMED, "text behind the field's name", value);
        }
        char *scratch = rclitei_arena_alloc(p->arena, value.size + 1);
        if (!scratch) {
            return fail_memory(p);
        }
        if (!default_fits(member, value, scratch)) {
            return fail(p, RCLITE_ERR_MALFORMED, "the default value does not fit its type", value);
        }
        member->default_text = rclitei_arena_copy(p->arena, value.data, value.size);
        if (!member->default_text) {
            return fail_memory(p);
        }
    }
    if (p->section->member_count == p->capacity) {
        return fail(p, RCLITE_ERR_OVERFLOW, "too many fields", name);
    }
    p->section->members[p->section->member_count++] = *member;
    return RCLITE_OK;
}

static rclite_result add_constant(
    parser *p, const rclitei_member *member, const char *name, rclitei_slice value) {
    bool text = member->kind == RCLITE_FIELD_STRING;
    size_t size = value.size;
    char *copy = rclitei_arena_alloc(p->arena, value.size + 1);
    if (!copy) {
        return fail_memory(p);
    }
    if (member->array != RCLITE_ARRAY_NONE || member->kind >= RCLITE_FIELD_MESSAGE) {
        return fail(p, RCLITE_ERR_MALFORMED, "a constant is a number, bool or string", value);
    }
    if (text && p->source->generation == RCLITE_ROS2) {
        if (!rclitei_value_string(value, copy, &size)) {
            return fail(p, RCLITE_ERR_MALFORMED, "the quotes do not match", value);
        }
    } else {
        memcpy(copy, value.data, value.size);
        if (!text && !default_fits(member, value, copy)) {
            return fail(p, RCLITE_ERR_MALFORMED, "the value does not fit its type", value);
        }
    }
    if (p->section->constant_count == p->capacity) {
        return fail(p, RCLITE_ERR_OVERFLOW, "too many constants", value);
    }
    p->section->constants[p->section->constant_count++] =
        (rclitei_constant){name, member->kind, member->type_text, copy};
    return RCLITE_OK;
}

/* clean is the line without its comment, whole with it: string constants of ROS 1 keep it. */
static rclite_result parse_line(parser *p, rclitei_slice clean, rclitei_slice whole) {
    rclitei_slice rest = clean;
    rclitei_slice type = take_word(&rest, " \t");
    if (rest.size == 0) {
        return fail(p, RCLITE_ERR_MALFORMED, "a type without a name", clean);
    }
    rclitei_slice name = take_word(&rest, " \t=");
    if (!rclitei_name_valid(name.data, name.size)) {
        return fail(p, RCLITE_ERR_MALFORMED, "not a valid name", name);
    }
    if (name_taken(p, name)) {
        return fail(p, RCLITE_ERR_MALFORMED, "the name is used twice", name);
    }
    rclitei_member member = {.line = p->line};
    char *type_text = rclitei_arena_copy(p->arena, type.data, type.size);
    member.name = rclitei_arena_copy(p->arena, name.data, name.size);
    if (!type_text || !member.name) {
        return fail_memory(p);
    }
    const char *reason;
    if (!rclitei_parse_type(p->source->generation, type_text, p->arena, &member, &reason)) {
        return reason ? fail(p, RCLITE_ERR_TYPE, reason, type) : fail_memory(p);
    }
    if (rest.size == 0 || rest.data[0] != '=') {
        return add_member(p, &member, name, rest);
    }
    if (member.kind == RCLITE_FIELD_STRING && p->source->generation == RCLITE_ROS1) {
        rest.size = (size_t)(whole.data + whole.size - rest.data);
    }
    rclitei_slice value = rclitei_slice_trim((rclitei_slice){rest.data + 1, rest.size - 1});
    return add_constant(p, &member, member.name, value);
}

static rclite_result begin_section(parser *p, rclitei_section *section) {
    p->section = section;
    *section = (rclitei_section){.text = ""};
    section->members = rclitei_arena_alloc(p->arena, p->capacity * sizeof *section->members);
    section->constants = rclitei_arena_alloc(p->arena, p->capacity * sizeof *section->constants);
    return section->members && section->constants ? RCLITE_OK : fail_memory(p);
}

/* Upper bound of the fields in any section: the lines that are not blank. */
static uint32_t count_lines(const rclitei_source *source) {
    uint32_t lines = 0;
    bool blank = true;
    for (size_t i = 0; i < source->size && lines < RCLITEI_MEMBERS_MAX; i++) {
        char c = source->text[i];
        if (c == '\n') {
            blank = true;
        } else if (blank && c != ' ' && c != '\t' && c != '\r') {
            lines++;
            blank = false;
        }
    }
    return lines;
}

static rclite_result end_section(parser *p, const char *begin, const char *end) {
    p->section->text = rclitei_arena_copy(p->arena, begin, (size_t)(end - begin));
    return p->section->text ? RCLITE_OK : fail_memory(p);
}

rclite_result rclitei_parse(const rclitei_source *source, rclitei_arena *arena,
    rclitei_section *ret_sections, size_t section_count, rclite_error *reterr) {
    parser p = {.source = source, .arena = arena, .reterr = reterr};
    if (source->size > RCLITEI_TEXT_BYTES_MAX || memchr(source->text, '\0', source->size)) {
        return rclitei_fail(reterr, RCLITE_ERR_MALFORMED, 0,
            "%s:1: not interface text: it is larger than 1 MiB or holds a zero byte", source->path);
    }
    p.capacity = count_lines(source);
    size_t index = 0;
    rclite_result result = begin_section(&p, &ret_sections[0]);
    const char *end = source->text + source->size;
    const char *section_begin = source->text;
    for (const char *begin = source->text; result == RCLITE_OK && begin < end;) {
        p.line++;
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        const char *next = newline ? newline + 1 : end;
        rclitei_slice whole = {begin, (size_t)((newline ? newline : end) - begin)};
        whole = rclitei_slice_trim(whole);
        const char *comment = whole.size ? memchr(whole.data, '#', whole.size) : NULL;
        rclitei_slice clean = whole;
        if (comment) {
            clean.size = (size_t)(comment - whole.data);
            clean = rclitei_slice_trim(clean);
        }
        if (clean.size >= 3 && memcmp(clean.data, "---", 3) == 0) {
            if (++index == section_count) {
                return fail(&p, RCLITE_ERR_MALFORMED, "one '---' too many", clean);
            }
            result = end_section(&p, section_begin, begin);
            result = result ? result : begin_section(&p, &ret_sections[index]);
            section_begin = next;
        } else if (clean.size) {
            result = parse_line(&p, clean, whole);
        }
        begin = next;
    }
    if (result == RCLITE_OK && index + 1 != section_count) {
        return fail(&p, RCLITE_ERR_MALFORMED, "a '---' is missing", (rclitei_slice){"", 0});
    }
    return result ? result : end_section(&p, section_begin, end);
}
