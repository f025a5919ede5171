import { describe, expect, inject, it } from "vitest";
import { observe, optionNames } from "./subject.ts";
import type { Subject } from "./subject.ts";

/**
 * Checks that options given as `undefined`, as a host gives what it has read from an unset variable, behave as if they
 * were left out: all of them at once and, with many trials, each of them alone.
 */
export function checkLeftOut(subjects: readonly Subject[]): void {
  describe.each(subjects)("$type of $page, given as undefined", (subject) => {
    const names = optionNames(subject);
    const sets = inject("trials") === "many" ? [names, ...names.map((name) => [name])] : [names];

    it.each(sets.map((set) => [set]))("behave as if they were left out: %j", async (set) => {
      const given = Object.fromEntries(set.map((name) => [name, undefined]));

      expect(await observe(subject, given)).toBe(await observe(subject, {}));
    });
  });
}
