#!/usr/bin/python3
"""Exchanges messages with types_exchange (exchange.c): every message of the packages below, filled
at random, serialized by the type support of a real ROS 2, read by rclite at run time, compared
field by field, serialized by rclite, compared byte by byte, and read by ROS 2 again. It opens no
connection.

usage: exchange_ros2.py TYPES_EXCHANGE [RECORD]
(with a ROS 2 sourced; exits 77 where there is none; RECORD: a file for one message of each type)
"""
import importlib
import os
import re
import struct
import sys

from exchange import ask, chance, classes, dump_fields, random_number, random_text, run

try:
    from rclpy.serialization import deserialize_message, serialize_message
except ImportError as error:
    print(f'skipped: no rclpy here ({error})')
    sys.exit(77)

PACKAGES = ['std_msgs', 'sensor_msgs', 'nav_msgs', 'geometry_msgs', 'tf2_msgs', 'std_srvs',
            'diagnostic_msgs', 'visualization_msgs', 'action_msgs', 'example_interfaces',
            'rcl_interfaces', 'rmw_dds_common', 'builtin_interfaces', 'unique_identifier_msgs']
FORMATS = {'boolean': '<?', 'octet': '<B', 'int8': '<b', 'uint8': '<B', 'int16': '<h',
           'uint16': '<H', 'int32': '<i', 'uint32': '<I', 'int64': '<q', 'uint64': '<Q',
           'float': '<f', 'double': '<d', 'char': '<B'}


def split(type_text):
    """The element type, and None, ('fixed', n) or ('sequence', bound)."""
    match = re.fullmatch(r'sequence<(.+?)(?:, (\d+))?>', type_text)
    if match:
        return match[1], ('sequence', int(match[2] or 5))
    match = re.fullmatch(r'(.+)\[(\d+)\]', type_text)
    if match:
        return match[1], ('fixed', int(match[2]))
    return type_text, None


def message_class(name):
    package, message = name.split('/')
    # The goal, result or feedback of an action, as one of its wrappers refers to it.
    kind = '.action' if message.endswith(('_Goal', '_Result', '_Feedback')) else '.msg'
    module = importlib.import_module(package + kind)
    if kind == '.action':
        action, _, part = message.rpartition('_')
        return getattr(getattr(module, action), part)
    return getattr(module, message)


def random_element(element):
    if element in FORMATS:
        value = random_number(FORMATS[element])
        return bytes([value]) if element == 'octet' else value
    match = re.fullmatch(r'string(?:<(\d+)>)?', element)
    if match:
        return random_text(min(int(match[1] or 9), 9) // 3)
    return random_message(message_class(element))


def random_message(cls):
    message = cls()
    for name, type_text in cls.get_fields_and_field_types().items():
        element, array = split(type_text)
        if array is None:
            value = random_element(element)
        else:
            count = array[1] if array[0] == 'fixed' else chance.randint(0, min(array[1], 5))
            value = [random_element(element) for _ in range(count)]
        setattr(message, name, value)
    return message


def dump_element(element, value):
    if element == 'octet':
        return value.hex()
    if element in FORMATS:
        return struct.pack(FORMATS[element], value).hex()
    if element.startswith('string'):
        return value.encode().hex()
    if element in ('builtin_interfaces/Time', 'builtin_interfaces/Duration'):
        return struct.pack('<iI', value.sec, value.nanosec).hex()
    return dump(value)


def dump(message):
    fields = []
    for name, type_text in message.get_fields_and_field_types().items():
        element, array = split(type_text)
        fields.append((name, array is not None, getattr(message, name),
                       lambda value, element=element: dump_element(element, value)))
    return dump_fields(fields)


def has_wstring(cls):
    return any('wstring' in t for t in cls.get_fields_and_field_types().values())


def parts():
    """Pairs of a name for exchange.c and the class, of types that rclite does not refuse."""
    for package, kind, name, cls, _ in classes(PACKAGES, ('msg', 'srv', 'action')):
        full = f'{package}/{kind}/{name}'
        if kind == 'msg':
            found = {'': cls}
        elif kind == 'srv':
            found = {'_Request': cls.Request, '_Response': cls.Response}
        else:
            found = {'_SendGoal_Request': cls.Impl.SendGoalService.Request,
                     '_SendGoal_Response': cls.Impl.SendGoalService.Response,
                     '_GetResult_Request': cls.Impl.GetResultService.Request,
                     '_GetResult_Response': cls.Impl.GetResultService.Response,
                     '_FeedbackMessage': cls.Impl.FeedbackMessage}
        for suffix, part in found.items():
            if not has_wstring(part):
                yield full + suffix, part


def check(child, name, cls):
    message = random_message(cls)
    sent = serialize_message(message)
    type_hash, fields, received = ask(child, name, sent)
    if fields != dump(message):
        raise ValueError(f'fields differ:\n  ROS 2  {dump(message)}\n  rclite {fields}')
    # An RMW may pad its bytes to a multiple of 4.
    if not sent.startswith(received) or len(sent) - len(received) > 3:
        raise ValueError(f'bytes differ:\n  ROS 2  {sent.hex()}\n  rclite {received.hex()}')
    if dump(deserialize_message(received, cls)) != dump(message):
        raise ValueError('ROS 2 reads something else from the bytes of rclite')
    return f'{name} {sent.hex()} {type_hash} {fields} {received.hex()}\n'


if __name__ == '__main__':
    sys.exit(run([sys.argv[1], '2', os.environ.get('AMENT_PREFIX_PATH', '')], parts(), check,
                 sys.argv[2] if len(sys.argv) > 2 else None, at_least=100))
