import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { fire, tellStory } from "../test/story.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { moveFocus } from "../ui/focus.ts";
import { ArtifactView } from "./artifact-view.tsx";
import { TurnView, useAnnouncement } from "./turn-view.tsx";
import { newTurn } from "./turn.ts";
import type { Turn, TurnStatus } from "./turn.ts";
import { useFollow } from "./use-follow.ts";

const base = newTurn({ key: "k", kind: "agent", name: "helper", question: { text: "Où?", files: [] } });
const pass = async (ms = 0) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { activeElement: null, body: {} });
  vi.stubGlobal("isSecureContext", true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a turn that is over", () => {
  const show = (isLast: boolean) => {
    const told: string[] = [];
    const actions = {
      regenerate: (...given: unknown[]) => void told.push(JSON.stringify(given)),
      answer: async () => await Promise.resolve(),
    };
    const turn: Turn = { ...base, status: "completed", parts: [{ type: "text", text: "a" }] };
    return { told, view: createElement(TurnView, { turn, actions, mayRegenerate: true, isLast }) };
  };

  it.each([true, false])(
    "is answered again, and asks before later turns are deleted: the last is %s",
    async (isLast) => {
      const { told, view } = show(isLast);
      const story = await tellStory(
        view,
        {
          again: fire("Answer again"),
          ...(!isLast && {
            keep: (body) => body.all("button").at(-1)?.fire("click"),
            "again, and delete": fire("Answer again"),
            delete: (body) => body.all("button").at(-2)?.fire("click"),
          }),
        },
        told,
      );

      expect(told).toEqual(['["k",null]']);
      await expect(`${story}\n`).toMatchFileSnapshot(`../test/outlines/turn-${isLast ? "last" : "earlier"}.txt`);
    },
  );
});

describe("an answer to a question of a run", () => {
  it("is sent for its turn, and the focus goes to the turn", async () => {
    const answers: unknown[] = [];
    const actions = {
      regenerate: () => undefined,
      answer: async (...given: unknown[]) => void answers.push(given),
    };
    const wait = { waitId: "w", kind: "upgrade", about: null } as const;
    const turn: Turn = { ...base, status: "waiting", parts: [{ type: "wait", wait }] };
    const { body } = showOnPage((props: Parameters<typeof TurnView>[0]) => createElement(TurnView, props), {
      turn,
      actions,
      mayRegenerate: false,
      isLast: true,
    });
    body.all("button").at(-1)?.fire("click");
    await pass();

    expect(answers).toEqual([["k", "w", { choice: "giveUp" }]]);
    expect(body.one("article").calls).toEqual(["focus"]);
  });
});

describe("the announcement of an answer", () => {
  const announced = (turns: readonly (Turn | undefined)[]) => {
    const View = ({ turn }: { turn: Turn | undefined }) => useAnnouncement(turn);
    const { body, showWith } = showOnPage((props: { turn: Turn | undefined }) => createElement(View, props), {
      turn: turns[0],
    });
    return turns.map((turn) => {
      showWith({ turn });
      return body.text;
    });
  };
  const of = (status: TurnStatus, key = "k"): Turn => ({
    ...base,
    key,
    status,
    parts: [{ type: "text", text: `${"é".repeat(599)}ab` }],
  });

  it.each<[TurnStatus, string]>([
    ["running", ""],
    ["waiting", "helper has a question: an answer of yours is needed."],
    ["completed", `helper answered: ${"é".repeat(599)}a`],
    ["failed", "The answer of helper ended early."],
    ["cancelled", "The answer of helper ended early."],
    ["interrupted", "The answer of helper ended early."],
  ])("that becomes %s is made once", (status, sentence) => {
    expect(announced([of("running"), of(status), of(status)])).toEqual(["", sentence, sentence]);
  });

  it("is not made of turns that were loaded, nor kept for the next turn", () => {
    expect(announced([undefined, of("completed"), of("running", "other"), of("completed", "third")])).toEqual([
      "",
      "",
      "",
      "",
    ]);
    expect(announced([of("running"), of("failed"), of("running", "other")]).at(-1)).toBe("");
  });
});

describe("a button that copies", () => {
  it.each([
    [true, 2000, "Copied", ""],
    [false, 6000, "Copy it", "The browser refuses to copy."],
  ])("says for a while what came of it: %s", async (...[isCopied, ms, label, alert]) => {
    const copied: string[] = [];
    const writeText = async (text: string) => {
      if (!isCopied) throw new Error("No.");
      copied.push(text);
      await Promise.resolve();
    };
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    const { body } = showOnPage(() => createElement(CopyButton, { text: "é", name: "Copy it" }), {});
    for (let round = 1; round <= 2; round++) {
      body.one("button").fire("click");
      await pass();
      expect([body.one("button").attributes["aria-label"], body.text]).toEqual([label, alert]);
      await pass(ms - 1);
      expect(body.one("button").attributes["aria-label"]).toBe(label);
      expect(body.text).toBe(alert);
      await pass(1);
      expect([body.one("button").attributes["aria-label"], body.text]).toEqual(["Copy it", ""]);
    }

    expect(copied).toEqual(isCopied ? ["é", "é"] : []);
  });

  it("says why a page without HTTPS cannot copy, and leaves no timer when it goes", async () => {
    vi.stubGlobal("isSecureContext", false);
    vi.stubGlobal("navigator", {});
    const { body, close } = showOnPage(() => createElement(CopyButton, { text: "é", name: "Copy it" }), {});
    body.one("button").fire("click");
    await pass();
    expect(body.text).toBe("Browsers copy on pages with HTTPS only.");
    const timers = vi.getTimerCount();
    close();

    expect(vi.getTimerCount()).toBe(timers - 1);
  });
});

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("an artifact that is saved", () => {
  it.each<[string, unknown, string | undefined, string, string]>([
    ["a chart é/1", "iVBORw0KGgo=", "image/png", "a-chart-1.png", "89504e470d0a1a0a"],
    ["x", "%", "image/png", "x.txt", "25"],
    ["x", "iVBORw0KGgo=", "text/html", "x.txt", toHex(new TextEncoder().encode("iVBORw0KGgo="))],
    ["..\u202e_a", { é: 1 }, undefined, "..-_a.json", toHex(new TextEncoder().encode('{\n  "é": 1\n}'))],
    ["x", "é", undefined, "x.txt", "c3a9"],
  ])(
    "as %j is a file of bytes, with no type that a browser would open",
    async (...[type, data, mimeType, name, hex]) => {
      const links: { href?: string; download?: string; clicks: number; click: () => void }[] = [];
      const createLink = () => {
        const link = { clicks: 0, click: () => void (link.clicks += 1) };
        links.push(link);
        return link;
      };
      vi.stubGlobal("document", { createElement: createLink });
      const blobs: Blob[] = [];
      vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => `blob:${blobs.push(blob as Blob)}`);
      const revoked = vi.spyOn(URL, "revokeObjectURL").mockImplementation(() => undefined);
      const artifact = { type, data, ...(mimeType !== undefined && { mimeType }) } as never;
      const { body } = showOnPage(() => createElement(ArtifactView, { artifact }), {});
      body.all("button")[0]?.fire("click");

      expect(links).toMatchObject([{ href: "blob:1", download: name, clicks: 1 }]);
      expect(blobs[0]?.type).toBe("application/octet-stream");
      expect(toHex(new Uint8Array((await blobs[0]?.arrayBuffer()) ?? new ArrayBuffer()))).toBe(hex);
      await pass(9999);
      expect(revoked).not.toHaveBeenCalled();
      await pass(1);
      expect(revoked.mock.calls).toEqual([["blob:1"]]);
    },
  );
});

describe("the focus", () => {
  it.each<[string, boolean]>([
    ["nowhere", true],
    ["on the page", true],
    ["inside what changes", true],
    ["elsewhere", false],
  ])("that is %s moves to the other element: %s", (place, isMoved) => {
    const focus = vi.fn<() => void>();
    const [inside, elsewhere, page] = [{}, {}, {}];
    const active = { nowhere: null, "on the page": page, "inside what changes": inside, elsewhere }[place];
    vi.stubGlobal("document", { activeElement: active, body: page });
    const from = { contains: (element: unknown) => element === inside } as unknown as Element;
    moveFocus(from, { focus } as unknown as HTMLElement);
    moveFocus(from, null);
    if (place === "inside what changes") moveFocus(null, { focus } as unknown as HTMLElement);

    expect(focus).toHaveBeenCalledTimes(isMoved ? 1 : 0);
  });
});

describe("a list that follows its end", () => {
  /** Shows an element of 100 pixels that scrolls over a content of 1000. */
  function open() {
    const scrolled: number[] = [];
    const at: { end?: boolean; toEnd?: () => void; onScroll?: () => void } = {};
    const element = {
      scrollHeight: 1000,
      clientHeight: 100,
      scrollTop: 900,
      scrollTo: ({ top }: { top: number }) => void scrolled.push(top),
    };
    const View = ({ content, isShown }: { content: unknown; isShown: boolean }) => {
      const following = useFollow(content, isShown);
      (following.element as { current: unknown }).current = element;
      Object.assign(at, { end: following.isAtEnd, toEnd: following.toEnd, onScroll: following.onScroll });
      return null;
    };
    const { showWith } = showOnPage((props: { content: unknown; isShown: boolean }) => createElement(View, props), {
      content: 0,
      isShown: true,
    });
    const scrollTo = (top: number) => {
      element.scrollTop = top;
      void act(() => at.onScroll?.());
    };
    return { at, element, showWith, scrollTo, scrolled: () => scrolled.splice(0) };
  }

  it.each([
    [900, true],
    [841, true],
    [840, false],
    [0, false],
  ])("goes with new content from the place %i: %s", (top, follows) => {
    const { at, showWith, scrollTo, scrolled } = open();
    scrollTo(top);
    scrolled();
    showWith({ content: 1, isShown: true });

    expect([at.end, scrolled()]).toEqual([follows, follows ? [1000] : []]);
  });

  it("stays at its end while the content above it grows, until its reader scrolls up", () => {
    const { at, element, showWith, scrollTo, scrolled } = open();
    element.scrollHeight = 1500;
    scrollTo(900);
    scrolled();
    showWith({ content: 1, isShown: true });
    expect([at.end, scrolled()]).toEqual([true, [1500]]);
    scrollTo(899);

    expect(at.end).toBe(false);
  });

  it("is put back to its place when it is shown again, and to its end on demand", () => {
    const { at, showWith, scrollTo, scrolled } = open();
    scrollTo(300);
    showWith({ isShown: false });
    scrollTo(0);
    scrolled();
    showWith({ isShown: true });
    expect([at.end, scrolled()]).toEqual([false, [300]]);
    void act(() => at.toEnd?.());

    expect([at.end, scrolled()]).toEqual([true, [1000]]);
    showWith({ isShown: false });
    scrolled();
    showWith({ isShown: true });
    expect(scrolled()).toEqual([1000]);
  });
});
