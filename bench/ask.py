"""Benchmark groups for the analyses: why, doctor, critical, stats, diff and SQL."""
import os

from report import output, tsv
from see import See, size_name

STEPS = ('floor', 'waits', 'why', 'doctor', 'doctor --strict', 'critical', 'stats')


class Ask(See):
    # ---- one trace ----
    def questions(self):
        traces = {'programs': 'programs', 'generated': self.trace('generated', 10**6)}
        if self.source() != '-':
            traces['ours'] = self.trace('ours', 10**6)
        took = {}
        for name, trace in traces.items():
            rows = dict(tsv(output(self.program('ask'), trace, '7')))
            took[name] = {step: float(rows[step]) for step in STEPS}
            took[name]['events'] = int(rows['events'])
        self.say('### Analyses', '', f'CPU ms of each, in addition to loading a trace of '
                 f'{size_name(10**6)} events; medians of 7. `waits` derives all waits and is computed '
                 'once, before the others; `floor` is one pass over all columns. The programs are '
                 'random, with locks, conditions and timers; most of them contain a bug.', '')
        self.table(('trace', 'events', *STEPS),
                   [(name, took[name]['events'], *(f'{took[name][step]:.1f}' for step in STEPS))
                    for name in traces])
        for name in traces:
            for step in ('why', 'doctor', 'critical'):
                ms = (took[name]['waits'] + took[name][step]) * 10**6 / took[name]['events']
                self.target(f'{step}, {name}, 1 M events, waits included', ms, 500, ' ms')

    # ---- time by logical stack ----
    def awaits(self):
        steps = ('logical times', 'await graph', 'await graph at once', 'await graph by thread')
        traces = {'programs': 'programs', 'generated': self.trace('generated', 10**6)}
        if self.source() != '-':
            traces['ours'] = self.trace('ours', 10**6)
        took = {}
        for name, trace in traces.items():
            rows = dict(tsv(output(self.program('ask'), trace, '15')))
            took[name] = {step: float(rows[step]) * 1e6 / int(rows['events']) for step in (*steps, 'waits')}
            took[name]['events'] = int(rows['events'])
        self.say('### Await flame graphs', '', 'CPU ns for each event of a trace, medians of 15: all intervals '
                 'with their logical stacks, once for a trace; the tree of all three kinds of time, for each '
                 'selection; both at once, without storing the intervals, as skein flame does. Model and waits are not included; `waits` is for comparison.', '')
        self.table(('trace', 'events', *steps, 'waits'),
                   [(name, one['events'], *(f'{one[step]:.1f}' for step in (*steps, 'waits')))
                    for name, one in took.items()])
        for name, one in took.items():
            self.target(f'await graph, {name}, stacks included', one['await graph at once'], 5,
                        ' ns/event')

    # ---- two runs ----
    def diff(self):
        kinds = ['generated'] + (['ours'] if self.source() != '-' else [])
        rows = {kind: [float(n) for n in tsv(output(self.program('diff'), self.trace(kind, 10**6),
                                                    '7'))[0]] for kind in kinds}
        self.say('### Two runs', '', 'CPU ms to compare a trace with another run of the same '
                 'program (other times, a thousandth of its events in another order, truncated): decode '
                 'both, build both models and waits, align the tasks, find the divergences, compare the '
                 'times; medians of 7.', '')
        self.table(('trace', 'events of both', 'decode', 'models, waits', 'align', 'divergences',
                    'times', 'all'),
                   [(kind, f'{row[0]:.0f}', *(f'{ms:.1f}' for ms in row[1:6]), f'{sum(row[1:6]):.1f}')
                    for kind, row in rows.items()])
        for kind, row in rows.items():
            self.target(f'diff, {kind}, two of 1 M events', sum(row[1:6]) * 2 * 10**6 / row[0], 2000,
                        ' ms')

    # ---- SQL ----
    def query(self):
        if not os.path.exists(self.program('query')):
            return self.say('### SQL', '', 'Not measured: built without SQLite.', '')
        rows, shares = [], []
        for kind in ('generated', 'ours'):
            found = tsv(output(self.program('query'), self.trace(kind, 10**7), '5'))
            for what, mine, theirs, ratio in found[:-1]:
                rows.append((kind, f'`{what}`', mine, theirs, ratio))
                if what in ('SELECT count(*) FROM event', 'SELECT sum(time_ns) FROM event') or \
                        "kind = 'create'" in what:
                    self.target_least(f'{what}, {kind}, 10 M events', float(mine), 10, ' M rows/s')
            _, selected, *times = found[-1]
            mine, theirs, whole, hidden = map(float, times)
            shares.append((kind, selected, f'{mine:.2f}', f'{theirs:.2f}', f'{whole:.0f}',
                           f'{hidden:.0f}'))
            self.target(f'1 % of the time, {kind}, 10 M events: share of the whole', mine / whole, 0.05)
        self.say('### SQL', '', 'Million rows of `event` per CPU second, of 10 million; the same for a '
                 'plain in-memory SQLite table (id, time, kind, task), in the same process, in turns; the '
                 'ratio of the CPU times. SQLite counts the rows of a native table by pages, 500 at a time. '
                 'Medians of 5 rounds.', '')
        self.table(('trace', 'query', 'M rows/s', 'plain table', 'ratio'), rows)
        self.say('`SELECT count(*), sum(task) FROM event WHERE time_ns BETWEEN` the middle and 1 % later, CPU ms: '
                 'a search by time; the plain table with an index; without a WHERE; with `+time_ns`, which '
                 'disables the search.', '')
        self.table(('trace', 'rows found', 'ms', 'plain table, index', 'all rows', 'hidden'), shares)
