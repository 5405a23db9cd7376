#!/usr/bin/env python3
"""A second reader of ledgers, for whoever does not want to trust the first: docs/ledger-check.md, step by step.
Exit codes: 0 sound, 1 altered, 2 unreadable. Signatures are checked where the module `cryptography` is installed."""
import argparse, collections, decimal, hashlib, json, math, pathlib, re, sys
LINE_MAX, DEPTH_MAX, SEQ_MAX, LISTED_MAX, HEX = 16 << 20, 127, 1 << 53, 100, re.compile("[0-9a-f]{64}")
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

class Unreadable(Exception): pass
def number(n):  # as ECMAScript writes it
    if isinstance(n, int) and abs(n) <= 1 << 53: return str(n)
    if not math.isfinite(n := float(n) + 0.0): raise ValueError("number out of range")  # + 0.0: there is no -0
    sign, digits, exponent = decimal.Decimal(repr(n)).normalize().as_tuple()
    minus, digits, point = "-" * sign, "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21: return minus + digits[:point].ljust(point, "0") + ("." + digits[point:]).rstrip(".")
    if -6 < point <= 0: return minus + "0." + "0" * -point + digits
    return minus + (digits[0] + "." + digits[1:]).rstrip(".") + f"e{point - 1:+d}"
def canonical(value, depth=0):  # RFC 8785
    if value is None or isinstance(value, (str, bool)): return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (list, dict)): return number(value)
    if depth == DEPTH_MAX: raise ValueError("nested too deep")
    if isinstance(value, list): return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name], depth + 1) for name in names) + "}"
def once(pairs):
    if len(members := dict(pairs)) < len(pairs): raise ValueError("a member is there twice")
    return members
def load(line):
    if b"\0" in line: raise Unreadable("encoding", "holds a NUL byte")
    try:
        value = json.loads(line.decode(), object_pairs_hook=once, parse_constant=lambda _: number(math.nan))
        canonical(value).encode()  # refuses half surrogates, numbers too great, nesting too deep
    except UnicodeDecodeError: raise Unreadable("encoding", "is not UTF-8")
    except (ValueError, OverflowError, RecursionError) as why: raise Unreadable("unreadable", f"is broken JSON: {why}")
    if not isinstance(value, dict): raise Unreadable("unreadable", "is JSON, but no object")
    return value
def parse(line, length):
    if length > LINE_MAX: raise Unreadable("unreadable", "is longer than 16 MiB")
    event = load(line)
    texts = all(isinstance(event.get(name), str) for name in ("run_id", "kind", "at"))
    if not (texts and "payload" in event and type(event.get("seq")) is int and 1 <= event["seq"] <= SEQ_MAX):
        raise Unreadable("unreadable", "is not an event: a member is missing or wrong")
    written = event.pop("hash", None)
    if written is None and "prev" not in event: return event, None, None
    if not all(isinstance(it, str) and HEX.fullmatch(it) for it in (written, event.get("prev"))):
        raise Unreadable("unreadable", "is not an event: hash and prev must be 64 hexadecimal digits each")
    return event, written, hashlib.sha256(canonical(event).encode()).hexdigest()

def lines(file, notes):
    count = 0
    while line := file.readline(LINE_MAX + 3):
        count, length, ended = count + 1, len(line), line.endswith(b"\n")
        while not ended and (more := file.readline(LINE_MAX)): length, ended = length + len(more), more.endswith(b"\n")
        whole, line, cut = length == len(line), line.removesuffix(b"\n"), length - ended - len(line.removesuffix(b"\n"))
        if whole and line.endswith(b"\r"): notes["crlf"] += 1; line = line[:-1]
        if count == 1 and line.startswith(b"\xef\xbb\xbf"): notes["bom"] += 1; line = line[3:]
        if whole and not line.strip(b" \t\r"): notes["blank"] += 1
        else: yield count, line, len(line) + cut, not ended
def believed(path, key, problem):  # the checkpoints that one key signed rightly; could signatures be checked?
    try: from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Public
    except ImportError: Public = None
    marks = []
    for count, line, *_ in lines(open(path, "rb"), collections.Counter()):
        try:
            mark = load(line)
            facts = canonical({name: mark[name] for name in ("at", "hash", "run_id", "seq")}).encode()
            if not HEX.fullmatch(mark["hash"]) or type(mark["seq"]) is not int: raise ValueError
            public, sig = bytes.fromhex(mark["key"]), bytes.fromhex(mark["sig"])
            if Public: Public.from_public_bytes(public).verify(sig, facts)
        except Exception: problem("checkpoint", None, None, f"checkpoint line {count} has no right signature"); continue
        if mark["key"] == (key := key or mark["key"]): marks.append(mark)
        else: problem("checkpoint", None, None, f"checkpoint line {count} is signed by another key")
    return marks, Public is not None

def verify(path, run=None, checkpoints=None, key=None):
    problems, gaps, notes, signed = [], [], collections.Counter(), collections.defaultdict(list)
    last, head, lost, events, chained, mixed, swapped, covered, stretch = 0, None, 0, 0, None, None, None, 0, None
    def problem(kind, seq, line, text, **hashes):
        problems.append({"seq": seq, "line": line, "kind": kind, "text": text, **hashes})
        return problems[-1]
    def first_bad(): return min((it["seq"] for it in problems if it["seq"]), default=None)
    marks, checked = believed(checkpoints, key, problem) if checkpoints else ([], None)
    for count, line, length, unended in lines(open(path, "rb"), notes):
        try: event, written, found = parse(line, length)
        except Unreadable as why:
            problem("truncated" if unended else why.args[0], last + 1, count, f"line {count} {why.args[1]}")
            lost, stretch = lost + 1, None  # it may have been the next event
            continue
        seq, events = event["seq"], events + 1
        if events == 1:  # the first event says whose ledger it is, if nobody else did
            run = run or event["run_id"]
            head = hashlib.sha256(f"tallyboard/ledger/v1\n{run}".encode()).hexdigest()
            for mark in filter(lambda mark: mark["run_id"] == run, marks): signed[mark["seq"]].append(mark["hash"])
        if event["run_id"] != run:
            if stretch != event["run_id"]: problem("foreign_run", last + 1, count, f"belongs to run {event['run_id']}")
            stretch, lost = event["run_id"], lost + 1
            continue
        chained = bool(written) if chained is None else chained
        if chained != bool(written) and not mixed:
            mixed, stretch = problem("mixed", seq, count, "some events have a hash and some have none"), None
        late = seq <= last and next((gap for gap in gaps if gap[0] <= seq <= gap[1]), None)
        if seq <= last and not late:
            if stretch != seq: problem("repeat", seq, count, f"event {seq} is there again after event {last}")
            stretch = seq + 1
            continue
        stretch = None
        if late:
            late[2].update(kind="reorder", text=f"event {seq} stands after event {last}: the order was changed")
            gaps.remove(late)
            gaps += [gap for gap in ([late[0], seq - 1, late[2]], [seq + 1, late[1], late[2]]) if gap[0] <= gap[1]]
        elif seq > last + 1 + lost:
            gaps.append([last + 1, seq - 1, problem("gap", last + 1, count, f"events {last + 1} to {seq - 1} are missing")])
        if found != written: problem("altered", seq, count, f"event {seq} was altered", expected=written, found=found)
        elif written and head and seq == last + 1 and event["prev"] != head:
            problem("unlinked", seq, count, f"event {seq} names another one before it", expected=event["prev"], found=head)
        others = [mark for mark in signed.get(seq, []) if written and mark != written]
        if others and not swapped:
            swapped = problem("swapped", seq, count, f"event {seq} is not the signed one", expected=others[0], found=written)
        elif seq in signed and not others and written and found == written and not first_bad(): covered = seq
        if not late: last, head, lost = seq, written, 0
    for start, end, gap in gaps:
        if gap["kind"] == "reorder": problem("gap", start, None, f"events {start} to {end} are missing")
    if not events: problem("empty", None, None, "there is no event")
    elif beyond := max((seq for seq in signed if seq > last), default=None):
        problem("cut_tail", last + 1, None, f"a checkpoint vouches for event {beyond}, but the last one is {last}")
    problems.sort(key=lambda it: it["seq"] or math.inf)
    tidy = [{name: value for name, value in it.items() if value is not None} for it in problems]
    return {"ok": not problems, "events": events, "chained": bool(chained), "problems": tidy[:LISTED_MAX], "notes": notes,
            "more_problems": len(tidy[LISTED_MAX:]), "covered_to": covered, "signatures_checked": checked,
            **({"first_bad_seq": first_bad()} if first_bad() else {})}

def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("file", type=pathlib.Path, help="a ledger file, or a folder with events.jsonl in it")
    asked.add_argument("--checkpoints", type=pathlib.Path, help="[default: checkpoints.jsonl beside it, if there is one]")
    asked.add_argument("--key", help="the public key whose checkpoints count; else that of the first right one")
    asked.add_argument("--json", action="store_true")
    args = asked.parse_args()
    path = (args.file / "events.jsonl" if args.file.is_dir() else args.file).absolute()
    beside, run = path.with_name("checkpoints.jsonl"), None
    if path.name == "events.jsonl" and (path.parent.parent.name == "runs" or UUID.fullmatch(path.parent.name)):
        run = path.parent.name  # a ledger in a run's own folder must be that run's
    try: report = verify(path, run, args.checkpoints or (beside if beside.exists() else None), args.key)
    except OSError as why:
        report = {"ok": False, "events": 0, "problems": [{"kind": "unreadable", "text": str(why)}], "covered_to": 0}
    words = [f"{'sound' if report['ok'] else 'NOT SOUND'}: {report['events']} events, signed up to {report['covered_to']}"]
    if report.get("signatures_checked") is False: words.append("NOT CHECKED: signatures (no module cryptography)")
    print(json.dumps(report) if args.json else "\n  ".join(words + [f"{it['kind']}: {it['text']}" for it in report["problems"]]))
    return 0 if report["ok"] else 1 if report["events"] else 2
if __name__ == "__main__": sys.exit(main())
