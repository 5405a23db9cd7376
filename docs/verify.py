#!/usr/bin/env python3
"""Checks a Tallyboard ledger file, knowing nothing but docs/ledger.md. Exit: 0 sound, 1 altered, 2 unreadable.

The chain needs the standard library only; signatures are checked when the module `cryptography` is there.
"""
import argparse, hashlib, json, re, sys

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None

def canonical(value):
    """RFC 8785: what a ledger holds needs no more than sorted keys, no spaces, shortest escapes."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)

def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()

def parse(line):
    """(seq, run, kind, prev, written, found); the last three are None without a chain."""
    if b"\0" in line:
        raise ValueError("holds a NUL byte")
    event = json.loads(line.decode("utf-8"))
    if not isinstance(event, dict):
        raise ValueError("is JSON, but no object")
    seq, run, kind = event.get("seq"), event.get("run_id"), event.get("kind")
    if type(seq) is not int or seq < 0 or not all(isinstance(x, str) for x in (run, kind, event.get("at"))):
        raise ValueError("has no seq, run_id, kind and at as an event has them")
    written, prev = event.pop("hash", None), event.get("prev")
    if written is None and prev is None:
        return seq, run, kind, None, None, None
    if not all(isinstance(x, str) and re.fullmatch("[0-9a-f]{64}", x) for x in (written, prev)):
        raise ValueError("has no hash and prev of 64 hexadecimal digits")
    return seq, run, kind, prev, written, sha256(canonical(event))

class Verifier:
    def __init__(self, checkpoints):
        self.run = self.genesis = self.hash = self.chained = None
        self.seq, self.events, self.joined, self.covered = 0, 0, True, 0
        self.problems, self.missing, self.marks = [], {}, checkpoints

    def problem(self, kind, text, seq=None, line=None, **hashes):
        self.problems.append({"seq": seq, "line": line, "kind": kind, "text": text, **hashes})

    def unreadable(self, line, why, cut):
        self.problem("truncated" if cut else "unreadable", f"line {line}: {why}", self.seq + 1, line)
        self.joined = False

    def event(self, line, seq, run, kind, prev, written, found):
        self.events += 1
        if self.run is None:
            self.run, self.genesis = run, sha256(f"tallyboard/ledger/v1\n{run}")
        if run != self.run:
            self.problem("foreign_run", f"event {seq} belongs to run {run}", self.seq + 1, line)
            self.joined = False
            return
        if self.chained is None:
            self.chained = written is not None
        if self.chained != (written is not None):
            self.problem("mixed", "some events have a hash and some have none", seq, line)
        due, follows, forward = self.seq + 1, False, True
        if seq == due:
            follows = self.joined
        elif seq > due and not (not self.joined and seq == due + 1):
            self.problem("gap", f"event {due} is missing: after {self.seq} comes {seq}", due, line)
            self.missing.update({n: len(self.problems) - 1 for n in range(due, min(seq, due + 100))})
        elif seq < due:
            forward = False
            if seq in self.missing:
                moved = self.problems[self.missing.pop(seq)]
                moved.update(kind="reorder", text=f"event {seq} stands after event {self.seq}")
            else:
                self.problem("repeat", f"event {seq} is there again after event {self.seq}", seq, line)
        if written is not None:
            self.link(line, seq, prev, written, found, follows)
        if forward:
            self.seq, self.hash, self.joined = seq, written, True

    def link(self, line, seq, prev, written, found, follows):
        if found != written:
            self.problem("altered", f"event {seq} was altered", seq, line, expected=written, found=found)
        before = self.genesis if seq == 1 else self.hash
        if follows and before is not None and before != prev:
            self.problem("unlinked", f"event {seq} follows another event", seq, line, expected=prev, found=before)
        if seq in self.marks and self.marks[seq] != written:
            self.problem("swapped", f"event {seq} is not the one that was signed", seq, line, expected=self.marks[seq], found=written)
        elif seq in self.marks and found == written and not self.problems:
            self.covered = seq

    def report(self):
        if self.events == 0:
            self.problem("empty", "there is no event")
        later = [seq for seq in self.marks if seq > self.seq]
        if later and self.events:
            self.problem("cut_tail", f"a checkpoint vouches for event {max(later)}, but the last one is {self.seq}", self.seq + 1)
        self.problems.sort(key=lambda p: 2**63 if p["seq"] is None else p["seq"])
        bad = [p["seq"] for p in self.problems if p["seq"] is not None]
        report = {"ok": not self.problems, "events": self.events, "covered_to": self.covered,
                  "problems": [{k: v for k, v in p.items() if v is not None} for p in self.problems[:100]]}
        return report | ({"first_bad_seq": min(bad)} if bad else {})

def checkpoints(path, verifier):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        mark = json.loads(line)
        if Ed25519PublicKey:
            signed = canonical({name: mark[name] for name in ("at", "hash", "run_id", "seq")}).encode()
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(mark["key"]))
            try:
                key.verify(bytes.fromhex(mark["sig"]), signed)
            except InvalidSignature:
                verifier.problem("checkpoint", f"checkpoint line {number} has no right signature")
                continue
        verifier.marks[mark["seq"]] = mark["hash"]

def main():
    cli = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    cli.add_argument("file"), cli.add_argument("--checkpoints"), cli.add_argument("--json", action="store_true")
    args = cli.parse_args()
    verifier = Verifier({})
    try:
        if args.checkpoints:
            checkpoints(args.checkpoints, verifier)
        with open(args.file, "rb") as file:
            for number, line in enumerate(file, 1):
                whole, line = line.endswith(b"\n"), line.rstrip(b"\r\n")
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if line.strip():
                    try:
                        verifier.event(number, *parse(line))
                    except ValueError as why:
                        verifier.unreadable(number, why, not whole)
    except OSError as why:
        print(why, file=sys.stderr)
        return 2
    report = verifier.report() | {"signatures": "checked" if Ed25519PublicKey and args.checkpoints else "not checked"}
    print(json.dumps(report, ensure_ascii=False) if args.json else f"{'sound' if report['ok'] else 'NOT SOUND'}: {report}")
    return 0 if report["ok"] else 1 if report["events"] else 2

if __name__ == "__main__":
    sys.exit(main())
