#!/usr/bin/python3
"""Exchanges messages with types_exchange (exchange.c): every message of the packages below, filled at
random, serialized by the type support of a real ROS 2, read by rclite at run time, compared field by
field, serialized by rclite, compared byte by byte, and read by ROS 2 again. It opens no connection.

usage: exchange_ros2.py TYPES_EXCHANGE [RECORD]
(with a ROS 2 sourced; exits 77 where there is none; RECORD: a file for one message of each type)
"""
import importlib
import os
import random
import re
import struct
import subprocess
import sys

try:
    from rclpy.serialization import deserialize_message, serialize_message
except ImportError as error:
    print(f'skipped: no rclpy here ({error})')
    sys.exit(77)

PACKAGES = ['std_msgs', 'sensor_msgs', 'nav_msgs', 'geometry_msgs', 'tf2_msgs', 'std_srvs',
            'diagnostic_msgs', 'visualization_msgs', 'action_msgs', 'example_interfaces',
            'rcl_interfaces', 'rmw_dds_common', 'builtin_interfaces', 'unique_identifier_msgs']
ROUNDS = 4
FORMATS = {'boolean': '<?', 'octet': '<B', 'int8': '<b', 'uint8': '<B', 'int16': '<h',
           'uint16': '<H', 'int32': '<i', 'uint32': '<I', 'int64': '<q', 'uint64': '<Q',
           'float': '<f', 'double': '<d', 'char': '<B'}
chance = random.Random(1)


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
        size = struct.calcsize(FORMATS[element])
        if element == 'boolean':
            return chance.random() < 0.5
        if element in ('float', 'double'):
            return struct.unpack('<f', struct.pack('<f', chance.uniform(-1e6, 1e6)))[0]
        value = struct.unpack(FORMATS[element], chance.randbytes(size))[0]
        return bytes([value]) if element == 'octet' else value
    match = re.fullmatch(r'string(?:<(\d+)>)?', element)
    if match:
        return ''.join(chance.choices('abcXYZ 0189ä€', k=chance.randint(0, min(int(match[1] or 9), 9) // 3)))
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
    """What exchange.c prints of a message."""
    text = '{'
    for name, type_text in message.get_fields_and_field_types().items():
        element, array = split(type_text)
        value = getattr(message, name)
        if array is None:
            text += f'{name}:{dump_element(element, value)},'
        else:
            text += f'{name}:[' + ''.join(dump_element(element, v) + ';' for v in value) + '],'
    return text + '}'


def parts():
    """Pairs of a name for exchange.c and the class."""
    for package in PACKAGES:
        for kind in ('msg', 'srv', 'action'):
            try:
                module = importlib.import_module(f'{package}.{kind}')
            except ImportError:
                continue
            for name in sorted(n for n in dir(module) if re.fullmatch('[A-Z][A-Za-z0-9]*', n)):
                cls = getattr(module, name)
                full = f'{package}/{kind}/{name}'
                if kind == 'msg':
                    yield full, cls
                elif kind == 'srv':
                    yield full + '_Request', cls.Request
                    yield full + '_Response', cls.Response
                else:
                    yield full + '_SendGoal_Request', cls.Impl.SendGoalService.Request
                    yield full + '_SendGoal_Response', cls.Impl.SendGoalService.Response
                    yield full + '_GetResult_Request', cls.Impl.GetResultService.Request
                    yield full + '_GetResult_Response', cls.Impl.GetResultService.Response
                    yield full + '_FeedbackMessage', cls.Impl.FeedbackMessage


def has_wstring(cls):
    return any('wstring' in t for t in cls.get_fields_and_field_types().values())


def check(child, name, cls, recorded):
    message = random_message(cls)
    sent = serialize_message(message)
    child.stdin.write(f'{name} {sent.hex()}\n')
    child.stdin.flush()
    type_hash, fields, answer = (child.stdout.readline().rstrip('\n').split(' ') + ['', ''])[:3]
    if not answer.strip():
        return f'rclite gives no answer (exit status {child.wait()})'
    received = bytes.fromhex(answer)
    if fields != dump(message):
        return f'fields differ:\n  ROS 2  {dump(message)}\n  rclite {fields}'
    # An RMW may pad its bytes to a multiple of 4.
    if not sent.startswith(received) or len(sent) - len(received) > 3:
        return f'bytes differ:\n  ROS 2  {sent.hex()}\n  rclite {answer}'
    if dump(deserialize_message(received, cls)) != dump(message):
        return 'ROS 2 reads something else from the bytes of rclite'
    recorded.append(f'{name} {sent.hex()} {type_hash} {fields} {answer}\n')
    return None


def main():
    share = ':'.join(os.environ.get('AMENT_PREFIX_PATH', '').split(':'))
    child = subprocess.Popen([sys.argv[1], '2', share], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    checked = 0
    recorded = []
    for name, cls in parts():
        if has_wstring(cls):
            continue
        for _ in range(ROUNDS):
            problem = check(child, name, cls, recorded)
            if problem:
                print(f'{name}: {problem}')
                child.kill()
                return 1
        checked += 1
    child.stdin.close()
    if len(sys.argv) > 2:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.writelines(recorded[::ROUNDS])
    status = child.wait()
    print(f'{checked} types, {ROUNDS} random messages each: equal both ways')
    return 0 if status == 0 and checked > 100 else 1


if __name__ == '__main__':
    sys.exit(main())
