"""Benchmark groups for recording, decoding, and the cost of the headers."""
import glob
import json
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys

from report import ROOT, Report, output, tsv


class Record(Report):
    # ---- events ----
    def events(self):
        with Lttng(self.scratch) as lttng:
            rows = tsv(output(self.program('events'), self.fresh('events'), str(self.rounds),
                              env=lttng.environment))
        self.say('### One event', '', f'ns of CPU time of the emitting thread; {self.rounds} '
                 'interleaved rounds of 20,000 events; ratios to the time stamp alone.', '')
        shown, by = [], {}
        for name, threads, *numbers in rows:
            if name.startswith('LTTng') and not lttng.running:
                continue
            best, median, best_ratio, median_ratio = map(float, numbers)
            by[name, int(threads)] = (best, median, best_ratio, median_ratio)
            shown.append((name, threads, f'{best:.1f}', f'{median:.1f}', f'{best_ratio:.2f}',
                          f'{median_ratio:.2f}'))
        self.table(('candidate', 'threads', 'best', 'median', 'best ratio', 'median ratio'), shown)
        floor = by['floor: time stamp', 1]
        for name in ('event, no row: notify', 'event, row: resume, suspend'):
            event = by[name, 1]
            self.target(f'{name}: best over the time stamp', event[0] - floor[0], 2, ' ns')
            self.target(f'{name}: median ratio', event[3], 1.25)
            self.target(f'{name}: 2 threads to 1 (medians)', by[name, 2][1] / event[1], 1.2)
        if lttng.running:
            ust = by['LTTng-UST: tracepoint of two u64', 1]
            for name in ('event, no row: notify', 'event, row: resume, suspend'):
                self.target(f'{name}: share of LTTng-UST (medians)', by[name, 1][1] / ust[1], 1 / 7)
        for name in ('suspend + switch', 'create_running, resolve + switch'):
            self.target(f'two events: {name}, median ratio', by['two events: ' + name, 1][3], 1.3)

    # ---- one-time costs ----
    def threads(self):
        rows = tsv(output(self.program('threads'), self.fresh('threads'), str(self.rounds)))
        self.say('### One-time costs: start, threads', '', 'ns; 20 starts, '
                 f'{self.rounds} threads one after another, 64 at once.', '')
        by = {row[0]: row for row in rows}
        memory = by.pop('memory a thread, kB')
        self.table(('what', 'best', 'median'), [(r[0], r[2], r[3]) for r in by.values()])
        self.say(f'Memory of a thread that recorded one event: {memory[2]} kB resident, {memory[3]} kB '
                 'of files (a ring of 1 MiB reserves chunk by chunk).', '')
        for name in ('prepared', 'reused', 'new'):
            key = f'first event, {name} stream, wall'
            self.target(f'first event, {name} stream (median)', float(by[key][3]) / 1000, 2, ' us')
        self.target('start-up (median)', float(by['skein_start, wall'][3]) / 1e6, 5, ' ms')

    # ---- coroutines ----
    def coroutine(self):
        directory = self.fresh('coroutine')
        runs = 1000
        output(self.program('coroutine'), directory, 'count', str(runs))
        skein = os.path.join(self.build, 'skein')
        per_run = 15.0
        if os.path.exists(skein):
            info = json.loads(output(skein, 'info', '--json', directory))
            per_run = round(info['events'] / runs)
        rows = tsv(output(self.program('coroutine'), self.fresh('coroutine'), str(self.rounds)))
        self.say('### Coroutines', '', f'Two labelled promises, a coroutine that awaits both, a '
                 f'counter: {per_run:g} events per run.', '')
        self.table(('candidate', 'best', 'median'), [(r[0], r[2], r[3]) for r in rows])
        best = {r[0]: float(r[2]) for r in rows}
        median = {r[0]: float(r[3]) for r in rows}
        on, off, out = (median['coroutine: ' + k] for k in ('on', 'off', 'compiled out'))
        self.say(f'On minus off: {(on - off) / per_run:.2f} ns per event (medians). Off minus '
                 f'compiled out: {off - out:.1f} ns per run.', '')
        self.target('coroutine benchmark, on minus off, per event', (on - off) / per_run, 12, ' ns')
        site = (best['loop of stores with 4 sites, off'] - best['loop of stores']) / 4
        self.target('off, per site', site, 0.5, ' ns')

    # ---- instructions of a site ----
    def site(self):
        text = output('objdump', '-d', '--no-show-raw-insn', '--disassemble=bench_one_site',
                      self.program('coroutine'))
        hot = []
        for line in text.splitlines():
            match = re.match(r'\s+[0-9a-f]+:\s+(\S+)(.*)', line)
            if match:
                hot.append(match.group(1))
                if match.group(1).startswith('ret'):
                    break
        count = len([i for i in hot if not i.startswith(('ret', 'nop', 'endbr'))])
        self.say('### One site', '', f'Instructions executed at a site while off: {count} '
                 f'({", ".join(hot)}).', '')
        self.target('off, instructions of a site', count, 3)

    # ---- bytes ----
    def mix(self):
        row = tsv(output(self.program('mix'), self.source(), self.fresh('mix')))[0]
        what = 'net.ctf' if self.source() != '-' else 'a generated sequence like net.ctf'
        self.say('### Bytes', '', f"{what}, recorded again through the recorder's functions at its own "
                 f'pace: **{row[1]} bytes per event** ({row[2]}).', '')
        self.target('bytes per event on the mix of net.ctf', float(row[1]), 8)

    # ---- decoding ----
    def decode(self):
        rows = []

        def measure(what, path, rounds, least=None):
            row = tsv(output(self.program('decode'), path, str(rounds)))[0]
            rows.append((what, row[0], row[1], row[2], row[3]))
            if least:
                self.target_least(f'decode, {what}, million events per CPU second (median)',
                                  float(row[2]), least)
            return int(row[0])

        one, four = self.fresh('decode'), self.fresh('decode4')
        output(self.program('mix'), self.source(), one, '600')
        output(self.program('mix'), self.source(), four, '150', '4')
        events = measure('our format, one stream', one, 9, 30)
        measure('our format, four streams at once', four, 9, 30)
        if shutil.which('babeltrace2'):
            speeds = []
            for _ in range(3):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                output('babeltrace2', one, '-c', 'sink.utils.dummy')
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
                speeds.append(events / cpu / 1e6)
            rows.append(('babeltrace2, one stream, to its dummy sink', events,
                         f'{max(speeds):.2f}', f'{statistics.median(speeds):.2f}', ''))
        shutil.rmtree(one, ignore_errors=True)
        shutil.rmtree(four, ignore_errors=True)
        mirage = self.fresh('mirage')
        output(self.program('generate_mirage'), '--events', '5000000', '-o', mirage)
        measure('mirage-profile, generated', mirage, 9, 15)
        os.unlink(mirage)
        if self.source() != '-':
            measure('mirage-profile, net.ctf', self.source(), 101)
        self.say('### Decoding', '', 'Million events per CPU second of the whole process; memory '
                 'of the columns.', '')
        self.table(('trace', 'events', 'best', 'median', 'bytes per event'), rows)

    # ---- Asio ----
    def echo(self):
        if not os.path.exists(self.program('echo')):
            return self.say('### Asio echo', '', 'Not measured: Boost.Asio was not found.', '')
        samples = {'without': [], 'off': [], 'on': []}
        for turn in range(15):
            for name in samples:
                env = dict(os.environ)
                env.pop('SKEIN_TRACE', None)
                if name == 'on':
                    env['SKEIN_TRACE'] = self.fresh('echo')
                program = 'echo' if name == 'without' else 'echo_traced'
                rows = tsv(output(self.program(program), '2000', '5', env=env))
                samples[name].append(min(float(r[0]) for r in rows))
        self.say('### Asio echo', '', 'A round trip over loopback, server and client in one '
                 'process, Boost.Asio coroutines: CPU ns (user and kernel), 15 turns.', '')
        self.table(('build', 'best', 'median', 'median ratio'), [
            (name, f'{min(v):.0f}', f'{statistics.median(v):.0f}',
             f'{statistics.median(a / b for a, b in zip(v, samples["without"])):.3f}')
            for name, v in samples.items()])
        ratio = statistics.median(a / b for a, b in zip(samples['on'], samples['without']))
        self.target('Asio echo, round trip on to without', ratio, 1.05)

    # ---- headers ----
    def headers(self):
        options = ['-std=c++20', '-I' + os.path.join(ROOT, 'record', 'include')]
        traced = ['-I' + os.path.join(ROOT, 'record', 'include', 'skein', 'wrappers')]
        asio = ['-include', 'skein/asio_tracking.h']
        coroutine = '#include <coroutine>\n'
        cases = [  # label; source and options without and with it
            ('skein/skein.h', '', [], '#include <skein/skein.h>\n', []),
            ('skein/record.h (with counter.h, task.h)', '', [], '#include <skein/record.h>\n', []),
            ('skein/coroutine.h, source without coroutines', '', [], '', traced),
            ('skein/coroutine.h, source with <coroutine>', coroutine, [], coroutine, traced),
            ('skein/sync.h', '', [], '#include <skein/sync.h>\n', []),
            ('for comparison: <atomic>', '', [], '#include <atomic>\n', []),
        ]
        if os.path.exists(self.program('echo')):
            echo = open(os.path.join(ROOT, 'bench', 'echo.cc')).read()
            cases.append(('skein/coroutine.h and asio.h, source: bench/echo.cc', echo, ['-w'], echo,
                          ['-w'] + traced + asio))
        shown = []
        for name, source, flags, source_with, flags_with in cases:
            best = [math.inf, math.inf]
            for _ in range(5 if 'boost' in source else 15):
                for i, (text, extra) in enumerate(((source, flags), (source_with, flags_with))):
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    subprocess.run(['g++', *options, *extra, '-x', 'c++', '-c', '-', '-o', os.devnull],
                                   input=text, text=True, check=True)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    best[i] = min(best[i], 1000 * (after.ru_utime + after.ru_stime -
                                                   before.ru_utime - before.ru_stime))
            shown.append((name, f'{best[0]:.0f}', f'{best[1] - best[0]:.0f}'))
            if name in ('skein/skein.h', 'skein/coroutine.h, source with <coroutine>'):
                self.target(f'header cost: {name}', best[1] - best[0], 50, ' ms')
        self.say('### Headers', '', 'CPU ms of `g++ -std=c++20 -c`; best of 15 (with Boost: of 5), '
                 'with and without the header in turns.', '')
        self.table(('header', 'without it', 'added by it'), shown)


class Lttng:
    """A private session daemon with one snapshot session; stopped on exit."""

    def __init__(self, scratch):
        self.home = os.path.join(scratch, 'lttng')
        self.environment = dict(os.environ)
        self.running = False
        self.daemon = None
        self.left_over = '/dev/shm/lttng-ust-wait-*'
        self.before = set(glob.glob(self.left_over))

    def command(self, *arguments):
        output('lttng', *arguments, env=self.environment, stderr=subprocess.DEVNULL)

    def __enter__(self):
        if not shutil.which('lttng-sessiond'):
            return self
        os.makedirs(self.home)
        self.environment.update(LTTNG_HOME=self.home, HOME=self.home,
                                LTTNG_UST_REGISTER_TIMEOUT='5000')
        if subprocess.run(['pgrep', '-x', 'lttng-sessiond'], stdout=subprocess.DEVNULL).returncode == 0:
            print('bench: another lttng-sessiond is running: LTTng-UST is left out', file=sys.stderr)
            return self
        self.daemon = subprocess.Popen(
            ['lttng-sessiond', '--no-kernel'], env=self.environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(50):
            try:
                self.command('list')
                break
            except subprocess.CalledProcessError:
                try:
                    self.daemon.wait(0.1)
                    return self
                except subprocess.TimeoutExpired:
                    pass
        try:
            self.command('create', 'bench', '--snapshot', '--output', self.home + '/out')
            self.command('enable-channel', '-u', '--overwrite', '--subbuf-size=256k',
                         '--num-subbuf=4', 'bench')
            self.command('enable-event', '-u', '-c', 'bench', 'skein_bench:two')
            self.command('start')
            self.running = True
        except subprocess.CalledProcessError as error:
            print('bench: LTTng-UST is left out:', error, file=sys.stderr)
        return self

    def __exit__(self, *_):
        if self.daemon is None:
            return
        if self.running:
            subprocess.run(['lttng', 'destroy', 'bench'], env=self.environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.killpg(self.daemon.pid, signal.SIGTERM)
        self.daemon.wait()
        for path in set(glob.glob(self.left_over)) - self.before:
            os.unlink(path)
