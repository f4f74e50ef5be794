"""The results page keeps sections that were not measured again."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report

ORDER = ['first', 'second', 'third']
HEAD = '| target | wanted | measured |  |\n|---|---|---|---|\n'


def section(name, verdict):
    return f'### {name}\n\nsome words\n\n{HEAD}| {name}: time | <= 1 | 2 | {verdict} |\n'


class PageOfResults(unittest.TestCase):
    def setUp(self):
        handle, self.path = tempfile.mkstemp(suffix='.md')
        os.write(handle, f'before\n{report.BEGIN}\n{report.END}\nafter\n'.encode())
        os.close(handle)
        self.addCleanup(os.unlink, self.path)

    def page(self, **sections):
        report.update(self.path, sections, ORDER)
        with open(self.path) as file:
            return file.read()

    def test_only_what_ran_is_replaced(self):
        self.page(first=('on A', section('One', 'met')), third=('on A', section('Three', 'missed')))
        page = self.page(third=('on B', section('Drei', 'met')), second=('on B', section('Two', 'missed')))
        self.assertTrue(page.startswith('before\n'))
        self.assertTrue(page.endswith('\nafter\n'))
        self.assertLess(page.index('### One'), page.index('### Two'))
        self.assertLess(page.index('### Two'), page.index('### Drei'))
        self.assertNotIn('### Three', page)
        self.assertEqual(page.count('Measured on A:'), 1)
        self.assertEqual(page.count('Measured on B:'), 1)
        self.assertIn('2 of 3 targets are met. Missed: Two: time.', page)

    def test_the_same_again_changes_nothing(self):
        sections = {'first': ('on A', section('One', 'met')), 'second': ('on B', section('Two', 'met'))}
        page = self.page(**sections)
        self.assertEqual(self.page(), page)
        self.assertEqual(self.page(first=sections['first']), page)


if __name__ == '__main__':
    unittest.main()
