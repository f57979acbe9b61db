"""The place of a page: the four groups, the list of pages, what is above, before, after it."""

import itertools

import tools
from book import GROUPS

# The lists below a page, each folded; in this order.
FOLDS = {"further": "Going further", "exercise": "Exercises", "wrong": "Wrong on purpose",
         "code": "Files", "interface": "Names", "results": "Records"}
# The pages that what is below the chapters follows in the order of all pages.
FOLLOWED = {"exercises": "Exercises", "faults": "Wrong on purpose", "sources": "Files"}


class Navigation:
    def __init__(self, first, others):
        """`first`: the pages that are read one after the other, then those of the other groups;
        `others`: what belongs to one of these, its parent."""
        self.named = {page.name: page for page in [*first, *others]}
        self.groups = {group: [self.named[name] for name in names]
                       for group, names in GROUPS.items()}
        placed = set(itertools.chain(*GROUPS.values()))
        self.groups["Learn"] = [page for page in first if page.name not in placed]
        self.below = {}  # name -> {fold: pages}
        for kind, fold in FOLDS.items():
            for page in others:
                if kind == ("wrong" if page.name.startswith("wrong_") else page.kind):
                    self.below.setdefault(page.parent, {}).setdefault(fold, []).append(page)
        self.order = self._in_order()

    def _below_chapters(self, fold):
        return [child for page in self.groups["Learn"]
                for child in self.below.get(page.name, {}).get(fold, [])]

    def _in_order(self):
        """All pages: the chapters, then what goes further, then group by group."""
        order = [*self.groups["Learn"], *self._below_chapters("Going further")]
        for page in itertools.chain(*(self.groups[group] for group in GROUPS if group != "Learn")):
            order += [page, *self._below_chapters(FOLLOWED.get(page.name)),
                      *itertools.chain(*self.below.get(page.name, {}).values())]
        return [self.named[name] for name in dict.fromkeys([*(page.name for page in order),
                                                            *self.named])]

    def above(self, page):
        """The start page, then those down to the one that a page belongs to."""
        chain = []
        while page.parent:
            chain[:0] = [self.named[page.parent]]
            # Below a step, an exercise also belongs to the list of all.
            if page.kind == "exercise":
                return [self.named["index"], self.named["exercises"], *chain]
            page = self.named[page.parent]
        return [self.named["index"], *chain] if page.name != "index" else []

    def neighbors(self, page):
        """The pages before and after one in the order of all; None where there is none."""
        if page not in self.order:  # the list of pages itself, and that of a wrong address
            return None, None
        around = [None, *self.order, None]
        at = self.order.index(page)
        return around[at], around[at + 2]

    def script(self):
        """A script that defines the list of pages, for docs/theme/site.js: one file instead of a
        list in each page."""
        groups = [[group, [[page.name, page.number, page.title, page.kind] for page in pages]]
                  for group, pages in self.groups.items()]
        below = {name: [[fold, [[page.name, page.title] for page in pages]]
                        for fold, pages in folds.items()] for name, folds in self.below.items()}
        return tools.script("siteNavigation", {"groups": groups, "below": below})
