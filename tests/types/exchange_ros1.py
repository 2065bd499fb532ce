#!/usr/bin/python3
"""Exchanges messages with types_exchange (exchange.c): every message of the packages below that
Python has here, filled at random, serialized by genpy, read by rclite at run time, compared field
by field, serialized by rclite and compared byte by byte; its md5sum is compared too. It opens no
connection.

usage: exchange_ros1.py TYPES_EXCHANGE SEARCH-PATH [RECORD]
(exits 77 where ROS 1's Python is missing; RECORD: a file for one message of each type)
"""
import importlib
import io
import re
import struct
import sys

from exchange import ask, chance, classes, dump_fields, random_number, random_text, run

try:
    import genpy
except ImportError as error:
    print(f'skipped: no genpy here ({error})')
    sys.exit(77)

PACKAGES = ['std_msgs', 'sensor_msgs', 'nav_msgs', 'geometry_msgs', 'tf2_msgs', 'std_srvs',
            'diagnostic_msgs', 'actionlib_msgs', 'rosgraph_msgs', 'roscpp']
FORMATS = {'bool': '<?', 'byte': '<b', 'char': '<B', 'int8': '<b', 'uint8': '<B', 'int16': '<h',
           'uint16': '<H', 'int32': '<i', 'uint32': '<I', 'int64': '<q', 'uint64': '<Q',
           'float32': '<f', 'float64': '<d'}


def split(type_text):
    """The element type, and None or the length of the array (-1: a sequence)."""
    match = re.fullmatch(r'(.+)\[(\d*)\]', type_text)
    return (match[1], int(match[2] or -1)) if match else (type_text, None)


def message_class(name):
    package, message = name.split('/')
    return getattr(importlib.import_module(package + '.msg'), message)


def random_element(element):
    if element in FORMATS:
        return random_number(FORMATS[element])
    if element == 'string':
        return random_text()
    if element == 'time':
        return genpy.Time(chance.randint(0, 2**32 - 1), chance.randint(0, 999999999))
    if element == 'duration':
        return genpy.Duration(chance.randint(-2**31, 2**31 - 1), chance.randint(0, 999999999))
    return random_message(message_class(element))


def random_message(cls):
    message = cls()
    for name, type_text in zip(cls.__slots__, cls._slot_types):
        element, length = split(type_text)
        if length is None:
            value = random_element(element)
        else:
            count = chance.randint(0, 5) if length < 0 else length
            value = [random_element(element) for _ in range(count)]
            if element in ('uint8', 'char'):
                value = bytes(value)
        setattr(message, name, value)
    return message


def dump_element(element, value):
    if element in FORMATS:
        return struct.pack(FORMATS[element], value).hex()
    if element == 'string':
        return value.encode().hex()
    if element in ('time', 'duration'):
        return struct.pack('<II', value.secs & 0xffffffff, value.nsecs & 0xffffffff).hex()
    return dump(value)


def dump(message):
    fields = []
    for name, type_text in zip(message.__slots__, message._slot_types):
        element, length = split(type_text)
        fields.append((name, length is not None, getattr(message, name),
                       lambda value, element=element: dump_element(element, value)))
    return dump_fields(fields)


def parts():
    """Pairs of a name for exchange.c and the class."""
    for package, kind, name, cls, module in classes(PACKAGES, ('msg', 'srv')):
        full = f'{package}/{kind}/{name}'
        action = re.fullmatch('(.+?)((Action)?(Goal|Result|Feedback))', name)
        if kind == 'msg' and action and hasattr(module, action[1] + 'Action'):
            yield f'{package}/action/{action[1]}_{action[2]}', cls
        elif kind == 'msg' and not name.endswith('Action'):
            yield full, cls
        elif kind == 'srv' and not name.endswith(('Request', 'Response')):
            yield full + '_Request', cls._request_class
            yield full + '_Response', cls._response_class


def check(child, name, cls):
    message = random_message(cls)
    buffer = io.BytesIO()
    message.serialize(buffer)
    sent = buffer.getvalue()
    md5sum, fields, received = ask(child, name, sent)
    if md5sum != cls._md5sum:
        raise ValueError(f'md5sum: {cls._md5sum} in ROS 1, {md5sum} in rclite')
    if fields != dump(message):
        raise ValueError(f'fields differ:\n  ROS 1  {dump(message)}\n  rclite {fields}')
    if received != sent:
        raise ValueError(f'bytes differ:\n  ROS 1  {sent.hex()}\n  rclite {received.hex()}')
    return f'{name} {sent.hex()} {md5sum} {fields} {received.hex()}\n'


if __name__ == '__main__':
    sys.exit(run([sys.argv[1], '1', sys.argv[2]], parts(), check,
                 sys.argv[3] if len(sys.argv) > 3 else None, at_least=30))
