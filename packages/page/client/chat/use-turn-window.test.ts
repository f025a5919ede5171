import { createElement } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { newTurn } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { useTurnWindow } from "./use-turn-window.ts";

const turnsOf = (count: number, first = 0): Turn[] =>
  Array.from({ length: count }, (_, at) =>
    newTurn({ key: `t${first + at}`, kind: "agent", name: "a", question: { text: "Où?", files: [] } }),
  );

/** Shows a chat, and returns the numbers of the first drawn turn and behind the last one after each act. */
function show(count: number) {
  let shown: ReturnType<typeof useTurnWindow> | undefined;
  const Shown = ({ turns }: { turns: Turn[] }) => {
    shown = useTurnWindow(turns);
    return null;
  };
  const { showWith } = showOnPage((props: { turns: Turn[] }) => createElement(Shown, props), { turns: turnsOf(count) });
  const drawn = () => [shown?.from, shown?.to];
  return {
    drawn,
    has: (turns: Turn[]) => (showWith({ turns }), drawn()),
    earlier: () => (void act(() => shown?.showEarlier()), drawn()),
    later: () => (void act(() => shown?.showLater()), drawn()),
  };
}

describe("the drawn part of a chat [page.chat]", () => {
  it.each([
    [0, [0, 0]],
    [1, [0, 1]],
    [20, [0, 20]],
    [21, [1, 21]],
    [5000, [4980, 5000]],
  ])("of %i turns that were opened is its end", (count, drawn) => {
    expect(show(count).drawn()).toEqual(drawn);
  });

  it("grows with what is asked in the tab to 100 turns, and then moves on", () => {
    const { has } = show(1);
    expect(has(turnsOf(99))).toEqual([0, 99]);
    expect(has(turnsOf(100))).toEqual([0, 100]);
    expect(has(turnsOf(101))).toEqual([1, 101]);
    expect(has(turnsOf(1500))).toEqual([1400, 1500]);
  });

  it("goes back by 20 turns and forth again, with at most 100 of them, to both ends", () => {
    const { earlier, later } = show(150);
    const seen = Array.from({ length: 8 }, earlier);
    expect(seen).toEqual([
      [110, 150],
      [90, 150],
      [70, 150],
      [50, 150],
      [30, 130],
      [10, 110],
      [0, 100],
      [0, 100],
    ]);
    expect([later(), later(), later(), later()]).toEqual([
      [20, 120],
      [40, 140],
      [50, 150],
      [50, 150],
    ]);
  });

  it("has a new question, however far back one has gone, and not fewer turns after a deletion than one", () => {
    const { earlier, has } = show(200);
    for (let at = 0; at < 10; at++) earlier();
    expect(has([...turnsOf(200), ...turnsOf(1, 200)])).toEqual([101, 201]);
    expect(has(turnsOf(1))).toEqual([0, 1]);
    expect(has([])).toEqual([0, 0]);
  });
});
