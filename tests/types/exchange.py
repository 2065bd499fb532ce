"""What exchange_ros1.py and exchange_ros2.py share: random values, the conversation with
types_exchange (exchange.c), and the loop over all types. It knows no ROS."""
import importlib
import random
import re
import struct
import subprocess

ROUNDS = 4
chance = random.Random(1)


def random_number(code):
    """code: one of the struct module's, little-endian ('<d'). Every float fits 32 bits."""
    if code == '<?':
        return chance.random() < 0.5
    if code in ('<f', '<d'):
        return struct.unpack('<f', struct.pack('<f', chance.uniform(-1e6, 1e6)))[0]
    return struct.unpack(code, chance.randbytes(struct.calcsize(code)))[0]


def random_text(longest=5):
    return ''.join(chance.choices('abcXYZ 0189ä€', k=chance.randint(0, longest)))


def dump_fields(fields):
    """What exchange.c prints of a message. fields: (name, is an array, value, function that prints
    one element)."""
    text = '{'
    for name, is_array, value, dump_element in fields:
        if is_array:
            text += f'{name}:[' + ''.join(dump_element(element) + ';' for element in value) + '],'
        else:
            text += f'{name}:{dump_element(value)},'
    return text + '}'


def classes(packages, kinds):
    """(package, kind, name, class, module) of all interfaces that Python finds here."""
    for package in packages:
        for kind in kinds:
            try:
                module = importlib.import_module(f'{package}.{kind}')
            except ImportError:
                continue
            for name in sorted(n for n in dir(module) if re.fullmatch('[A-Z][A-Za-z0-9]*', n)):
                yield package, kind, name, getattr(module, name), module


def ask(child, name, sent):
    """Shows rclite the bytes of one message: the type's hash or md5sum, the fields that it read,
    and the bytes that it wrote. An error where it does not answer."""
    child.stdin.write(f'{name} {sent.hex()}\n')
    child.stdin.flush()
    words = child.stdout.readline().rstrip('\n').split(' ')
    if len(words) < 3:
        raise ValueError(f'rclite gives no answer, but {words} (exit status {child.poll()})')
    return words[0], words[1], bytes.fromhex(words[2])


def run(command, parts, check, record, at_least):
    """Checks every (name, class) of parts. check(child, name, class) returns a line for `record`, a
    path or None, or raises ValueError. Returns the exit status."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    recorded = []
    checked = 0
    for name, cls in parts:
        try:
            lines = [check(child, name, cls) for _ in range(ROUNDS)]
        except ValueError as problem:
            print(f'{name}: {problem}')
            child.kill()
            return 1
        recorded.append(lines[0])
        checked += 1
    child.stdin.close()
    if record:
        with open(record, 'w', encoding='utf-8') as file:
            file.writelines(recorded)
    print(f'{checked} types, {ROUNDS} random messages each: equal both ways')
    return 0 if child.wait() == 0 and checked > at_least else 1
