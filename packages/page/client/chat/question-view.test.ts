import { createElement } from "preact";
import { describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { QuestionView } from "./question-view.tsx";
import type { Question } from "./turn.ts";

function show(question: Question, { isFixed = false } = {}) {
  const onEdit = vi.fn<(text: string) => void>();
  vi.stubGlobal("document", { activeElement: null, body: {} });
  const draw = (props: Parameters<typeof QuestionView>[0]) => createElement(QuestionView, props);
  const shown = showOnPage(draw, { question, onEdit: isFixed ? undefined : onEdit });
  const change = (text: string) => {
    shown.body.one("Change the question").fire("click");
    shown.body.one("textarea").value = text;
    shown.body.one("textarea").fire("input");
    return shown.body.one("form").fire("submit");
  };
  return { ...shown, onEdit, change };
}

const question: Question = { text: "Où?", files: [] };

describe("a question", () => {
  it("shows its text and its files, by names that nothing unseen turns around", () => {
    const files = [
      { name: "a\u202egnp.exe", type: "text/plain", url: "/f/1" },
      { name: "b\u2066\n.txt", type: "text/plain" },
    ];
    const { body } = show({ text: "", files });
    const [link, ...others] = body.all("a");

    expect(others).toEqual([]);
    expect(body.all("p")).toEqual([]);
    expect(link?.attributes).toMatchObject({ href: "/f/1" });
    for (const shown of [link?.text, link?.attributes["download"], ...body.all("li").map(({ text }) => text)])
      expect(shown).toMatch(/^[ -~]+$/);
  });

  it("can be changed only where it may be asked again", () => {
    expect(show(question, { isFixed: true }).body.all("button")).toEqual([]);
  });

  it("is asked again as it was changed, and each time anew", () => {
    const { body, change, onEdit } = show(question);
    for (const text of [" Où donc?\n", "x"]) {
      expect(change(text)).toBe(true);
      expect(body.all("form")).toEqual([]);
    }

    expect(onEdit.mock.calls).toEqual([[" Où donc?\n"], ["x"]]);
  });

  it.each(["", " ", "\n\t", "\u00a0"])("is not asked again as %j, and stays open to be changed", (blank) => {
    const { body, change, onEdit } = show(question);
    change(blank);

    expect(onEdit).not.toHaveBeenCalled();
    expect(body.all("form")).toHaveLength(1);
  });

  it.each(["Escape", "Leave it"])("is left as it was by %s, and begins with its text the next time", (way) => {
    const { body, onEdit } = show(question);
    for (let round = 1; round <= 2; round++) {
      body.one("Change the question").fire("click");
      expect(body.one("textarea").value).toBe("Où?");
      body.one("textarea").value = "other";
      body.one("textarea").fire("input");
      body.one("form").fire("keydown", { key: "a" });
      if (way === "Escape") body.one("form").fire("keydown", { key: way });
      else body.all("button").at(-1)?.fire("click");
      expect(body.all("form")).toEqual([]);
    }

    expect(onEdit).not.toHaveBeenCalled();
  });
});
