"""Print what CPython's own parser finds at the top level of the modules of its standard library.

Usage: literals.py LIMIT. The output is one JSON object: file -> {"values": {name: value}, "skipped": [name],
"doc": docstring}. Bytes and the UTF-8 form of strings are written with one character for each byte.
"""
import ast
import json
import os
import sys
import sysconfig
import tokenize
import warnings


class NotLiteral(Exception):
    pass


def text(value):
    try:
        # A pair of surrogates is one character, a single one has no UTF-8 form.
        value = value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise NotLiteral
    return value.encode("utf-8").decode("latin-1")


def number(value):
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        try:
            value = float(value)
        except OverflowError:
            raise NotLiteral
    if isinstance(value, complex) or value in (float("inf"), float("-inf")):
        raise NotLiteral
    return value


def is_string(node):
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and is_string(node.left) and is_string(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def key(node):
    value = ast.literal_eval(node)
    if isinstance(value, str):
        return literal(node)
    if value is None or isinstance(value, (bool, int, float)):
        return next(iter(json.loads(json.dumps({value: 0}))))
    raise NotLiteral


def literal(node):
    if is_string(node):
        return text(joined(node))
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bytes):
            return node.value.decode("latin-1")
        if node.value is None or isinstance(node.value, bool):
            return node.value
        if isinstance(node.value, (int, float, complex)):
            return number(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        return number(ast.literal_eval(node))
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [literal(element) for element in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {key(k): literal(v) for k, v in zip(node.keys, node.values)}
    raise NotLiteral


def joined(node):
    if isinstance(node, ast.BinOp):
        return joined(node.left) + joined(node.right)
    return node.value


def has_name_escape(lines, node):
    return any(r"\N{" in line.replace(r"\\", "") for line in lines[node.lineno - 1 : node.end_lineno])


def module(source, tree):
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    values, skipped = {}, set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value and node.simple or isinstance(node, ast.AugAssign):
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            if not isinstance(target, ast.Name) or not target.id.isascii():
                continue
            values.pop(target.id, None)
            skipped.discard(target.id)
            try:
                if isinstance(node, ast.AugAssign) or has_name_escape(lines, value):
                    raise NotLiteral
                values[target.id] = literal(value)
            except (NotLiteral, ValueError):
                skipped.add(target.id)
    return {"values": values, "skipped": sorted(skipped), "doc": docstring(lines, tree)}


def docstring(lines, tree):
    doc = ast.get_docstring(tree, clean=False)
    if doc is None or has_name_escape(lines, tree.body[0]):
        return ""
    try:
        return text(doc.strip())
    except NotLiteral:
        return ""


def files(root, limit):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("site-packages", "__pycache__")]
        found += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    found.sort()
    return found[:: max(1, -(-len(found) // limit))]


def main():
    warnings.simplefilter("ignore")
    result = {}
    for name in files(sysconfig.get_path("stdlib"), int(sys.argv[1])):
        try:
            with open(name, "rb") as file:
                source = file.read()
            encoding, _ = tokenize.detect_encoding(iter(source.splitlines(True)).__next__)
            if encoding not in ("utf-8", "utf-8-sig"):
                continue
            source = source.decode(encoding)
            result[name] = module(source, ast.parse(source))
        except (SyntaxError, ValueError, RecursionError):
            continue  # CPython itself refuses the file
    json.dump(result, sys.stdout)


main()
