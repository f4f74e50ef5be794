"""Benchmark group for coroutines of other libraries, created as fast as possible."""
import concurrent.futures
import glob
import os
import shutil
import statistics
import subprocess

from report import ROOT, Report, cost

PROGRAMS = ('fibonacci', 'lazy_fibonacci')  # 7 million coroutines each; the lazy ones in one thread


class Foreign(Report):
    def fibonacci(self):
        """concurrencpp's own programs, if the shared data has them."""
        archive = os.path.join(os.path.dirname(self.shared_data()), 'foreign', 'concurrencpp.tar.xz')
        if not os.path.exists(archive):
            self.say('### Coroutines of concurrencpp', '', 'Not measured: the sources are missing.')
            return
        folder = self.fresh('fibonacci')
        os.makedirs(folder)
        subprocess.run(['tar', '-xf', archive, '-C', folder], check=True)
        for name, options, libraries in (
                ('plain', [], []),
                ('traced', ['-I', os.path.join(ROOT, 'record', 'include'), '-I',
                            os.path.join(ROOT, 'record', 'include', 'skein', 'wrappers')],
                 [os.path.join(self.build, 'libskein.a')])):
            self.build_programs(os.path.join(folder, 'concurrencpp'), os.path.join(folder, name), options, libraries)
        rounds = min(15, self.rounds)
        self.say('### Coroutines of concurrencpp', '',
                 f"The library's programs that create 7 million coroutines; wall time, {rounds} rounds in turn, median "
                 'ratios to the program without skein. `fibonacci` shares a reference count between all processors, '
                 'which takes most of its time; `lazy_fibonacci` runs in one thread.', '')
        shown = []
        for program in PROGRAMS:
            plain, off, recorded = self.rounds_of(folder, program, rounds)
            ratio = [statistics.median(a / b for a, b in zip(times, plain)) for times in (off, recorded)]
            shown.append((program, *(f'{statistics.median(times):.2f} s' for times in (plain, off, recorded)),
                          *(f'{r:.2f}' for r in ratio)))
            if program == 'fibonacci':
                self.target('fibonacci: linked, off', ratio[0], 1.02)
                self.target('fibonacci: recorded', ratio[1], 1.4)
        self.table(('program', 'plain', 'linked, off', 'recorded', 'off / plain', 'recorded / plain'), shown)
        shutil.rmtree(folder)

    def build_programs(self, source, out, options, libraries):
        os.makedirs(out)
        tests = os.path.join(source, 'test', 'source', 'thread_sanitizer')
        library = glob.glob(os.path.join(source, 'source', '**', '*.cpp'), recursive=True)

        def compiled(path):
            made = os.path.join(out, os.path.basename(path) + '.o')
            subprocess.run(['g++', '-std=c++20', '-O2', '-I', os.path.join(source, 'include'), *options, '-c', path,
                            '-o', made], check=True)
            return made

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compiled, library))
        for name in PROGRAMS:
            main = compiled(os.path.join(tests, name + '.cpp'))
            subprocess.run(['g++', main, *objects, *libraries, '-pthread', '-o', os.path.join(out, name)], check=True)

    def rounds_of(self, folder, program, rounds):
        """Returns the wall times of the program: plain, with skein linked but off, recorded."""
        trace = os.path.join(folder, 'trace')
        times = [], [], []
        for _ in range(rounds):
            shutil.rmtree(trace, ignore_errors=True)
            times[0].append(cost(os.path.join(folder, 'plain', program))[0])
            times[1].append(cost(os.path.join(folder, 'traced', program))[0])
            times[2].append(cost('env', 'SKEIN_TRACE=' + trace, os.path.join(folder, 'traced', program))[0])
        return times
