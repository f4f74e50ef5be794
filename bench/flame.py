"""Benchmark group for flame graphs: folded stacks to SVG, against flamegraph.pl."""
import os
import random
import shutil
import statistics
import string

from report import Report, cost

PEER = '/usr/share/perl5/Devel/NYTProf/flamegraph.pl'  # libdevel-nytprof-perl
SIZES = {10**4: 0.06, 10**5: 0.45, 10**6: 4.5}  # targets, CPU s


def folded(path, count):
    """Writes distinct stacks of about 30 functions: each begins as the one before it and goes on differently."""
    draw = random.Random(7)
    spaces = ['asio', 'std', 'net::http', 'db::pool', 'skein', 'json', 'crypto', 'kv::store']
    types = ['int', 'std::string', 'char const*', 'Foo<Bar>']
    functions = [f"{draw.choice(spaces)}::{''.join(draw.choices(string.ascii_lowercase, k=draw.randint(5, 25)))}"
                 f'<{draw.choice(types)}>::op{draw.randint(0, 99)}' for _ in range(5000)]
    stack, seen, written = [draw.choice(functions) for _ in range(30)], set(), 0
    with open(path, 'w') as out:
        while written < count:
            kept = min(len(stack) - 1, max(1, int(draw.triangular(1, len(stack) - 1, len(stack) - 1))))
            depth = max(5, int(draw.gauss(30, 7.5)))
            stack = stack[:kept] + draw.choices(functions, k=max(1, depth - kept))
            line = 'app;main;' + ';'.join(stack)
            if hash(line) not in seen:
                seen.add(hash(line))
                out.write(f'{line} {int(draw.paretovariate(1.2))}\n')
                written += 1


class Flame(Report):
    def flame(self):
        has_peer = os.path.exists(PEER) and shutil.which('perl')
        self.say('### Flame graphs', '', 'CPU s and peak memory from folded text to SVG, distinct stacks of about 30 '
                 'functions; medians of 5 runs of skein, between which flamegraph.pl runs once (libdevel-nytprof-perl, '
                 'the same options). skein maps the text: its own memory is the peak without these pages.', '')
        rows = []
        for count, limit in SIZES.items():
            if count > self.most:
                continue
            path = os.path.join(self.scratch, f'{count}.folded')
            folded(path, count)
            ours = [cost(self.skein(), 'flame', path) for _ in range(3)]
            theirs = [cost('perl', PEER, path)] if has_peer else []
            ours += [cost(self.skein(), 'flame', path) for _ in range(2)]
            cpu, memory = (statistics.median(run[i] for run in ours) for i in (1, 2))
            size = os.path.getsize(path)
            row = [f'{count:,}', f'{size / 2**20:.0f} MiB', f'{cpu:.3f}', f'{memory / 2**20:.0f} MiB',
                   f'{(memory - size) / 2**20:.0f} MiB']
            name = f'flame graph of {count:,} stacks'
            self.target(name, cpu, limit, ' CPU s')
            if theirs:
                _, peer_cpu, peer_memory = theirs[0]
                row += [f'{peer_cpu:.2f}', f'{peer_memory / 2**20:.0f} MiB', f'{peer_cpu / cpu:.0f}', f'{peer_memory / memory:.1f}']
                self.target_least(name + ', times faster than flamegraph.pl', peer_cpu / cpu, 35)
                self.target_least(name + ', times less memory', peer_memory / memory, 8)
            rows.append(row)
            os.remove(path)
        head = ['stacks', 'text', 'skein, CPU s', 'memory', 'its own']
        self.table(head + (['flamegraph.pl, CPU s', 'memory', 'times faster', 'times less memory'] if has_peer else []), rows)
