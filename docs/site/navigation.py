"""The place of a page: the four groups, the list of pages, what is above, before, after it."""

import dataclasses
import json

import book
import staging
import templates

# The pages of the three groups that follow the chapters; new names go here.
GROUPS = {
    "Learn": "Chapters in order: each step is one idea.",
    "Practice": "Write kernels yourself, and have them judged.",
    "Understand": "How the machine works, what goes wrong, what was measured.",
    "Reference": "Options, terms, files and interfaces.",
}
MEMBERS = {
    "Practice": ["exercises", "judge", "teachers", "debugging", "course"],
    "Understand": ["memory", "faults", "measured", "map", "cpu"],
    "Reference": ["running", "gpu", "output", "glossary", "sources", "interfaces",
                  "project", "site"],
}
# The lists below a page, each folded; in this order.
FOLDS = {"further": "Going further", "exercise": "Exercises", "wrong": "Wrong on purpose",
         "code": "Files", "interface": "Names", "results": "Records"}


@dataclasses.dataclass(frozen=True)
class Place:
    """The surroundings of one page."""
    group: str
    above: list      # the pages from the start page down to the one above it
    previous: object  # a page, or None
    following: object


def fold_of(page):
    return "wrong" if page.name.startswith("wrong_") else page.kind


class Navigation:
    def __init__(self, chapters, others):
        """`chapters`: those that are read one after the other, then the pages of the other groups;
        `others`: what belongs to one of these, its parent."""
        named = {page.name: page for page in chapters}
        placed = {name for names in MEMBERS.values() for name in names}
        if strays := {page.name for page in chapters if page.kind == "background"} - placed:
            raise staging.Fault(f"in no group of navigation.MEMBERS: {', '.join(sorted(strays))}")
        self.groups = {"Learn": [page for page in chapters if page.name not in placed]}
        for group, names in MEMBERS.items():
            self.groups[group] = [named[name] for name in names]
        self.below = {}  # name -> {kind: pages}
        for page in others:
            self.below.setdefault(page.parent, {}).setdefault(fold_of(page), []).append(page)
        for name, folds in self.below.items():
            self.below[name] = {kind: folds[kind] for kind in FOLDS if kind in folds}
        self.named = {**named, **{page.name: page for page in others}}
        self.group_of = {page.name: group for group, pages in self.groups.items() for page in pages}
        self.order = self._in_order()
        self.position = {page.name: i for i, page in enumerate(self.order)}

    def _in_order(self):
        """All pages: the chapters, then what goes further, then group by group."""
        order = list(self.groups["Learn"])
        order += self._all_below(self.groups["Learn"], "further")
        for group in MEMBERS:
            for page in self.groups[group]:
                order.append(page)
                if page.name == "exercises":
                    order += self._all_below(self.groups["Learn"], "exercise")
                if page.name == "faults":
                    order += self._all_below(self.groups["Learn"], "wrong")
                if page.name == "sources":
                    order += self._all_below(self.groups["Learn"], "code")
                for pages in self.below.get(page.name, {}).values():
                    order += pages
        reached = {page.name for page in order}
        return order + [page for page in self.named.values() if page.name not in reached]

    def _all_below(self, pages, kind):
        return [child for page in pages for child in self.below.get(page.name, {}).get(kind, [])]

    def above(self, page):
        """The start page, then the page of its group's that it belongs to."""
        start = self.named["index"]
        if page.name == "index":
            return []
        if page.kind == "exercise":
            return [start, self.named["exercises"], self.named[page.parent]]
        chain, name = [], page.parent
        while name:
            chain.insert(0, self.named[name])
            name = self.named[name].parent
        chapter = self._chapter_of(chain[0] if chain else page)
        return [start, *([chapter] if chapter else []), *chain]

    def _chapter_of(self, step):
        """The introduction of a step's chapter."""
        if step.kind != "step":
            return None
        learn = self.groups["Learn"]
        before = learn[:self.position[step.name]]
        return [page for page in before if page.kind == "chapter"][-1]

    def place(self, page):
        if page.name not in self.position:  # the list of pages itself, and that of a wrong address
            return Place("", [self.named["index"]], None, None)
        position = self.position[page.name]
        owner = page
        while owner.name not in self.group_of:
            owner = self.named[owner.parent]
        return Place(self.group_of[owner.name], self.above(page),
                     self.order[position - 1] if position else None,
                     self.order[position + 1] if position + 1 < len(self.order) else None)

    def script(self):
        """A script that defines the list of pages, for docs/theme/site.js: one file instead of a
        list in each page."""
        groups = [[group, [[page.name, page.number, page.title, page.kind] for page in pages]]
                  for group, pages in self.groups.items()]
        below = {name: [[FOLDS[kind], [[page.name, page.title] for page in pages]]
                        for kind, pages in folds.items()] for name, folds in self.below.items()}
        text = json.dumps({"groups": groups, "below": below}, ensure_ascii=False,
                          separators=(",", ":"))
        return f"globalThis.siteNavigation = {text};\n"

    def all_pages(self):
        """The same as a page's text, for readers without scripts."""
        return templates.part("contents", [
            (group, GROUPS[group], [(page, self._folds(page)) for page in pages])
            for group, pages in self.groups.items()])

    def _folds(self, page):
        return [(FOLDS[kind], pages) for kind, pages in self.below.get(page.name, {}).items()]
