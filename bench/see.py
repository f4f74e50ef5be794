"""Benchmark groups for the viewers: from a trace file to pictures, and operations on them.

Traces have two formats: mirage-profile's, from the generator (arrows between arbitrary tasks, which
is harder than in real programs), and skein's, with net.ctf's events recorded repeatedly.
"""
import os
import statistics
import subprocess

from report import ROOT, Report, cost, output, tsv

FORMATS = ('generated', 'ours')


def size_name(events):
    return f'{events // 10**6} M' if events >= 10**6 else f'{events // 1000} k'


def memory_total():
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')


class See(Report):
    # A machine with nominally 24 GiB reports a little less.
    most = 10**8 if memory_total() >= 23 * 2**30 else 10**7

    def sizes(self, least=10**4):
        return [n for n in (10**4, 10**5, 10**6, 10**7, 10**8) if least <= n <= self.most]

    def trace(self, kind, events):
        """Returns a trace of about this many events, created at its first use."""
        directory = self.disk if events > 10**7 else self.scratch
        path = os.path.join(directory, f'{kind}-{events}')
        if not os.path.exists(path):
            if kind == 'generated':
                output(self.program('generate_mirage'), '--events', str(events), '-o', path)
            else:
                output(self.program('mix'), self.source(), path, str(max(1, events // 10**4)))
        return path

    # ---- loading ----
    def load(self):
        def once(kind, events):
            row = tsv(output(self.program('load'), self.trace(kind, events),
                             str(100 * events // 10**6 + 10)))[0]
            return [float(number) for number in row]

        turns = {10**4: 15, 10**5: 15, 10**6: 9, 10**7: 5, 10**8: 2}
        samples = {}
        for turn in range(max(turns.values())):
            for kind in FORMATS:
                for events in self.sizes():
                    if turn < turns[events]:
                        samples.setdefault((kind, events), []).append(once(kind, events))
        self.say('### Loading', '', 'From the file to the first picture, 1500 x 900: decode, model, '
                 'rows in ns per event; the first draw list and its pixels in ms; the total in million '
                 'events per CPU second. Then bytes per event: columns, model and rows (kept); the peak '
                 'of the process, including the mapped file. Medians of '
                 f'{", ".join(f"{turns[n]} ({size_name(n)})" for n in self.sizes())} runs in turns.', '')
        shown, cost_of, speed, kept = [], {}, {}, {}
        for (kind, events), rows in sorted(samples.items(), key=lambda item: (item[0][0], item[0][1])):
            exact, decode, model, arrange, draw, paint, *memory = [
                statistics.median(column) for column in zip(*rows)]
            cost_of[kind, events] = decode + model + arrange
            speed[kind, events] = 1e3 / (cost_of[kind, events] + (draw + paint) * 1e6 / exact)
            kept[kind, events] = sum(memory[:3])
            shown.append((kind, f'{exact:.0f}', f'{decode:.0f}', f'{model:.0f}', f'{arrange:.0f}',
                          f'{draw:.1f}', f'{paint:.1f}', f'{speed[kind, events]:.1f}',
                          f'{kept[kind, events]:.0f}', f'{memory[3]:.0f}'))
        self.table(('trace', 'events', 'decode', 'model', 'rows', 'list', 'pixels', 'M/s', 'kept',
                    'peak'), shown)
        for kind in FORMATS:
            for events, least in ((10**6, 8), (10**7, 6)):
                if events <= self.most:
                    self.target_least(f'load to first picture, {kind}, {size_name(events)} events, '
                                      'million per CPU second', speed[kind, events], least)
            costs = [cost_of[kind, events] for events in self.sizes()]
            self.target(f'load, {kind}, highest cost per event to lowest, {size_name(self.sizes()[0])} '
                        f'to {size_name(self.sizes()[-1])}', max(costs) / min(costs), 2)
            self.target(f'memory per event, {kind}, highest of all sizes',
                        max(kept[kind, events] for events in self.sizes()), 80, ' bytes')

    # ---- the largest traces ----
    def open(self):
        rows = []
        picture = os.path.join(self.scratch, 'picture.png')
        peaks = []
        for kind in FORMATS:
            path = self.trace(kind, self.most)
            for what, *command in (('skein info', 'info', path),
                                   ('skein render to PNG', 'render', path, '-o', picture)):
                wall, cpu, peak = cost(self.skein(), *command)
                peaks.append(peak / 2**30)
                rows.append((kind, what, f'{wall:.1f}', f'{cpu:.1f}', f'{peak / 2**30:.1f}'))
        self.say(f'### Opening the largest traces: {size_name(self.most)} events', '',
                 'Seconds, and peak memory in GiB, including the mapped file.', '')
        self.table(('trace', 'what', 's', 'CPU s', 'GiB'), rows)
        if self.most == 10**8:
            self.target('100 M events open: most memory', max(peaks), 24, ' GiB')

    # ---- redraws ----
    def redraw(self):
        limits = {10**6: 16, 10**7: 50}
        table, worst = {}, {}
        sizes = [(kind, n) for kind in FORMATS for n in self.sizes(10**6)
                 if kind == 'generated' or n <= 10**7]
        for kind, events in sizes:
            rounds = '5' if events <= 10**7 else '1'
            for zoom, _, _, _, draw, paint in tsv(
                    output(self.program('redraw'), self.trace(kind, events), rounds)):
                both = (float(draw), float(draw) + float(paint))
                for place, key in ((table, (int(zoom), kind, events)), (worst, (kind, events))):
                    place[key] = tuple(max(pair) for pair in zip(both, place.get(key, both)))
        self.say('### Redraws', '', 'CPU ms, 1500 x 900: the draw list, and with its pixels and texts '
                 '(as the desktop paints it). For each zoom, the worst of three positions and four row '
                 'heights, from all rows visible to 26 pixels; medians of 5.', '')

        def cell(key):
            return f'{table[key][0]:.1f}, {table[key][1]:.1f}' if key in table else ''

        zooms = sorted({key[0] for key in table})
        self.table(('zoom', *(f'{kind}, {size_name(n)}' for kind, n in sizes)),
                   [(f'x{zoom:,}', *(cell((zoom, *size)) for size in sizes)) for zoom in zooms])
        for kind, events in sizes:
            if events in limits:
                for part, value in zip(('draw list', 'with pixels'), worst[kind, events]):
                    self.target(f'redraw, {kind}, {size_name(events)} events, worst of all zooms, '
                                f'{part}', value, limits[events], ' ms')

    # ---- search ----
    def search(self):
        shown, used = [], {}
        sizes = [n for n in self.sizes(10**6) if n <= 10**7]
        for events, words in [(n, w) for n in sizes for w in ([], ['distinct'])]:
            name = size_name(events) + (', distinct labels' if words else '')
            worst = [0.0, 0.0]
            for kind, what, *numbers in tsv(output(
                    self.program('view'), self.trace('generated', events), '9', *words)):
                if kind == 'search':
                    found, *keys = numbers
                    shown.append((name, what, found, *keys))
                    worst = [max(pair) for pair in zip(worst, map(float, keys))]
                elif kind == 'use' and not words:
                    used.setdefault(what, []).append(numbers[0])
            for which, value in zip(('the first key', 'other keys'), worst):
                self.target(f'search, {name}, {which}, for 1 M events', value * 10**6 / events, 16,
                            ' ms')
        self.say('### Search and the rest', '', 'CPU ms: the first key, and the slowest of the others; '
                 'found is the final number of tasks. The very first search also copies the strings.', '')
        self.table(('events', 'typed', 'found', 'first key', 'others'), shown)
        self.table(('what', *(f'{size_name(n)}, ms' for n in sizes)),
                   [(what, *numbers) for what, numbers in used.items()])

    # ---- pictures ----
    def pictures(self):
        if self.source() == '-':
            return self.say('### Pictures of net.ctf', '', 'Not measured: net.ctf is missing.', '')
        rows = []
        for name in ('picture.svg', 'picture.png', 'picture.pdf', 'page.html'):
            path = os.path.join(self.scratch, name)
            command = 'html' if name.endswith('html') else 'render'
            runs = [cost(self.skein(), command, self.source(), '-o', path) for _ in range(9)]
            wall, cpu = (statistics.median(column) for column in list(zip(*runs))[:2])
            size = os.path.getsize(path) / 1000
            rows.append((f'skein {command}, {name}', f'{wall * 1e3:.0f}', f'{cpu * 1e3:.0f}',
                         f'{size:.0f}'))
            if command == 'html':
                self.target('page of net.ctf: written in', wall, 1, ' s')
                self.target('page of net.ctf: size', size, 200, ' kB')
        wall, cpu, _ = cost(self.skein(), 'show', self.source())
        rows.append(('skein show', f'{wall * 1e3:.0f}', f'{cpu * 1e3:.0f}', ''))
        self.say('### Pictures of net.ctf', '', 'Medians of 9 runs of the program.', '')
        self.table(('what', 'ms', 'CPU ms', 'kB'), rows)

    # ---- the page ----
    def page(self):
        done = subprocess.run([os.path.join(ROOT, 'bench', 'page'), self.build], text=True,
                              stdout=subprocess.PIPE)
        if done.returncode == 77:
            return self.say('### The page', '', 'Not measured: Chromium or one of its dependencies '
                            'is missing.', '')
        done.check_returncode()
        rows = tsv(done.stdout)
        self.say('### The page', '', 'In headless Chromium without a GPU: size; ms from the start of '
                 'the navigation to the first picture, for one file; redraws of 1500 x 900.', '')
        self.table(('what', 'page of', 'unit', 'best', 'median'),
                   [row for row in rows if not row[0].startswith('frame')])
        redraws = [float(row[4]) for row in rows if row[0].startswith('redraw')]
        if redraws:
            self.target('page, redraw, generated, 1 M events, worst of all zooms', max(redraws), 33,
                        ' ms')
        for what, trace, _, best, median in rows:
            if what == 'first picture':
                self.target(f'page of {trace}: first picture after load (median)', float(median), 100,
                            ' ms')
