"""Common to all benchmark groups: running programs, tables, targets, and the results page.

A group is a method; its text becomes a section of docs/performance.md. Only the sections of groups
that ran are replaced. Each section records the machine and the date of its measurement, which are
shown once for the sections of one run.
"""
import datetime
import os
import platform
import re
import resource
import shutil
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGIN, END = '<!-- results: written by bench/run -->', '<!-- end of results -->'
GROUP = re.compile(r'<!-- group (\w+), measured (.*?) -->\n')


def output(*command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **kw).stdout


def tsv(text):
    return [line.split('\t') for line in text.splitlines() if line and not line.startswith('#')]


def cost(*command):
    """Returns wall seconds, CPU seconds and peak memory in bytes of a program that succeeds."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


class Report:
    def __init__(self, build, rounds):
        self.build, self.rounds = build, rounds
        shared = '/dev/shm' if os.path.isdir('/dev/shm') else None
        self.scratch = tempfile.mkdtemp(prefix='skein-bench-', dir=shared)
        self.disk = tempfile.mkdtemp(prefix='bench-', dir=build)  # for traces too large for memory
        self.sections = {}

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.rmtree(self.disk, ignore_errors=True)

    def run(self, group):
        self.out, self.targets = [], []
        getattr(self, group)()
        self.table(('target', 'wanted', 'measured', ''), self.targets)
        self.sections[group] = '\n'.join(self.out).rstrip() + '\n'

    def program(self, name):
        return os.path.join(self.build, 'bench', 'bench_' + name)

    def skein(self):
        return os.path.join(self.build, 'skein')

    def fresh(self, name):
        path = os.path.join(self.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def source(self):
        """Returns the path of net.ctf in the shared data; '-' if it is missing."""
        path = os.path.join(self.shared_data(), 'net.ctf')
        return path if os.path.exists(path) else '-'

    def shared_data(self):
        return os.environ.get('SKEIN_DATA', os.path.join(ROOT, '..', 'shared', 'data'))

    def say(self, *lines):
        self.out += lines

    def table(self, head, rows):
        if not rows:
            return
        self.say('| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head))
        self.say(*['| ' + ' | '.join(str(c) for c in row) + ' |' for row in rows], '')

    def target(self, what, value, limit, unit=''):
        verdict = 'met' if value <= limit else 'missed'
        self.targets.append((what, f'<= {limit:g}{unit}', f'{value:.3g}{unit}', verdict))

    def target_least(self, what, value, limit, unit=''):
        verdict = 'met' if value >= limit else 'missed'
        self.targets.append((what, f'>= {limit:g}{unit}', f'{value:.3g}{unit}', verdict))


def machine():
    facts = {}
    for line in open('/proc/cpuinfo'):
        key, _, value = line.partition(':')
        facts.setdefault(key.strip(), value.strip())
    cpu = facts.get('model name', platform.machine())
    if 'model' in facts:
        cpu += f" (family {facts['cpu family']}, model {facts['model']})"
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30
    commit = subprocess.run(['git', '-C', ROOT, 'rev-parse', '--short', 'HEAD'],
                            stdout=subprocess.PIPE, text=True).stdout.strip() or 'no commit'
    return (f'{datetime.date.today()}, commit {commit}; {os.cpu_count()} x {cpu}, '
            f'{memory:.0f} GiB, Linux {platform.release()}, load {os.getloadavg()[0]:.1f} at the end; '
            'traces on a memory file system')


def parse(results):
    """Returns the sections of a page by group: (measured, text)."""
    parts = GROUP.split(results)
    sections = {}
    for group, measured, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        sections[group] = (measured, re.sub(r'\nMeasured [^\n]*\n*$', '\n', text).rstrip() + '\n')
    return sections


def compose(sections, order):
    verdicts = []
    lines, last = [], None
    for group in [g for g in order if g in sections]:
        measured, text = sections[group]
        verdicts += re.findall(r'^\| ([^|\n]*) \|.* (met|missed) \|$', text, re.M)
        if measured != last:
            lines += [f'Measured {measured}:', '']
        last = measured
        lines += [f'<!-- group {group}, measured {measured} -->', text]
    missed = [what for what, verdict in verdicts if verdict == 'missed']
    summary = f'{len(verdicts) - len(missed)} of {len(verdicts)} targets are met.'
    if missed:
        summary += ' Missed: ' + '; '.join(missed) + '.'
    return '\n'.join([summary, ''] + lines)


def update(path, new, order):
    """Replaces the sections in `new`."""
    with open(path) as file:
        before, rest = file.read().split(BEGIN)
    old, after = rest.split(END)
    sections = {**parse(old), **new}
    with open(path, 'w') as file:
        file.write(before + BEGIN + '\n' + compose(sections, order) + END + after)
