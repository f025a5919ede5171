import { createElement } from "preact";
import { describe, expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import { Composer } from "./composer.tsx";

const reader: RunnableInfo = { kind: "agent", name: "reader", input: ["text", "parts"] };
const poet: RunnableInfo = { kind: "agent", name: "poet", input: ["text"] };
const mailing: RunnableInfo = { kind: "workflow", name: "mailing", input: ["text", "object"] };
const letter = new File(["a"], "letter.txt");
const photo = new File(["b"], "photo.png");

function composer(change: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn<(text: string, files: File[]) => void>();
  const onStop = vi.fn<() => void>();
  const onChoose = vi.fn<(runnable: RunnableInfo) => void>();
  const shown = showOnPage((props: Parameters<typeof Composer>[0]) => createElement(Composer, props), {
    runnables: [reader, poet, mailing],
    chosen: reader,
    example: undefined,
    isAnswering: false,
    isReplacing: false,
    onChoose,
    onSend,
    onStop,
    ...change,
  });
  const field = () => shown.body.one("textarea");
  const type = (text: string): void => {
    field().value = text;
    field().fire("input");
  };
  const press = (key: string, more: object = {}) =>
    field().fire("keydown", { key, shiftKey: false, isComposing: false, ...more });
  const paste = (...files: File[]) => field().fire("paste", { clipboardData: { files } });
  const fileNames = () => shown.body.all("li").map(({ text }) => text);
  return { ...shown, onSend, onStop, onChoose, field, type, press, paste, fileNames };
}

describe("the composer", () => {
  it("the composer sends the question as it was typed by Enter, which breaks no line, and empties the field each time", () => {
    const { onSend, field, type, press } = composer();
    for (const text of [" Où?\n ", "Und dann?"]) {
      type(text);
      expect(field().value).toBe(text);
      expect(press("Enter")).toBe(true);
      expect(field().value).toBe("");
    }

    expect(onSend.mock.calls).toEqual([
      [" Où?\n ", []],
      ["Und dann?", []],
    ]);
    press("Enter");
    expect(onSend).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["Enter with Shift", "Enter", { shiftKey: true }],
    ["Enter that ends a composition of an input method", "Enter", { isComposing: true }],
    ["a letter", "e", {}],
    ["Escape", "Escape", {}],
  ])("the composer leaves %s to the field", (_, key, more) => {
    const { onSend, field, type, press } = composer();
    type("ni hao");

    expect(press(key, more)).toBe(false);
    expect(onSend).not.toHaveBeenCalled();
    expect(field().value).toBe("ni hao");
  });

  const attempts: { isSent: boolean; what: string; text: string; change: Parameters<typeof composer>[0] }[] = [
    { isSent: true, what: "a text", text: "Hi", change: {} },
    { isSent: true, what: "a text of one character", text: "0", change: { chosen: poet } },
    { isSent: false, what: "no text", text: "", change: {} },
    { isSent: false, what: "spaces and line breaks", text: " \n\t\u00A0", change: {} },
    { isSent: true, what: "no text for a workflow", text: "", change: { chosen: mailing } },
    { isSent: false, what: "a text without anything chosen", text: "Hi", change: { chosen: undefined } },
    { isSent: false, what: "a text while a run is active", text: "Hi", change: { isAnswering: true } },
    { isSent: false, what: "a text while a turn is being deleted", text: "Hi", change: { isReplacing: true } },
    { isSent: false, what: "no text during a run", text: "", change: { chosen: mailing, isAnswering: true } },
  ];
  it.each(["Enter", "submit"].flatMap((way) => attempts.map((attempt) => ({ way, ...attempt }))))(
    "the composer sends by $way, or else keeps in its field, $what: $isSent",
    ({ way, isSent, text, change }) => {
      const { onSend, body, field, type, press } = composer(change);
      type(text);
      const [button] = body.all("Send");
      expect(button?.attributes["aria-disabled"]).toBe(change?.isAnswering === true ? undefined : String(!isSent));
      expect(way === "Enter" ? press("Enter") : body.one("form").fire("submit")).toBe(true);

      expect(onSend.mock.calls).toEqual(isSent ? [[text, []]] : []);
      expect(field().value).toBe(isSent ? "" : text);
    },
  );

  it("the composer shows Stop instead of Send while a run is active, and keeps the draft meanwhile", () => {
    const { body, onStop, onSend, type, field, showWith, press } = composer();
    type("Next");
    showWith({ isAnswering: true });
    expect(body.all("Send")).toHaveLength(0);
    body.one("Stop").fire("click");
    expect(onStop).toHaveBeenCalledTimes(1);
    showWith({ isAnswering: false });
    expect(body.all("Stop")).toHaveLength(0);
    expect(field().value).toBe("Next");
    press("Enter");
    expect(onSend.mock.calls).toEqual([["Next", []]]);
    expect(onStop).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["no list to choose from for", [reader], reader, 0],
    ["a list to choose from for", [reader, poet], reader, 1],
    ["no list before they are loaded, though there are", [reader, poet], undefined, 0],
  ])("has %s %j", (...[, runnables, chosen, count]) => {
    const { body } = composer({ runnables, chosen });

    expect(body.all("dialog")).toHaveLength(count);
  });

  it.each([
    [reader, "Ask reader"],
    [mailing, "Start mailing"],
    [{ ...poet, name: "a\u202Eb\nc" }, "Ask a b c"],
    [undefined, "Nothing to ask yet"],
  ])("the composer asks for a question to %j with: %s", (chosen, placeholder) => {
    const { field } = composer({ chosen });

    expect(field().attributes["placeholder"]).toBe(placeholder);
  });

  it.each([
    ["one field on the same line", { city: "Malmö" }, "Start mailing, for example with city: Malmö"],
    ["several fields on lines", { city: "Oslo", days: 3 }, "Start mailing, for example with\ncity: Oslo\ndays: 3"],
    [
      "values in lines of their own",
      { a: "b\u202E\nc", d: ["e"] },
      'Start mailing, for example with\na: b  c\nd: ["e"]',
    ],
  ])("the composer shows of a workflow's example %s", (_, example, placeholder) => {
    const { field, showWith } = composer({ chosen: mailing, example });
    expect(field().attributes["placeholder"]).toBe(placeholder);
    showWith({ chosen: reader, example: undefined });

    expect(field().attributes["placeholder"]).toBe("Ask reader");
  });
});

describe("the files of the composer", () => {
  const dropped = (...files: File[]) => ({ dataTransfer: { types: ["Files"], files } });

  it("files are sent in the order in which they were pasted, chosen and dropped, and then forgotten", () => {
    const { body, onSend, paste, fireOnWindow, press, fileNames } = composer();
    paste(letter);
    const input = body.one("Files");
    Object.assign(input, { files: [photo, letter], value: "C:\\fakepath\\photo.png" });
    input.fire("change");
    expect(input.value).toBe("");
    expect(fireOnWindow("drop", dropped(photo))).toBe(true);
    expect(fileNames()).toEqual(["letter.txt", "photo.png", "letter.txt", "photo.png"]);
    press("Enter");

    expect(onSend.mock.calls).toEqual([["", [letter, photo, letter, photo]]]);
    expect(fileNames()).toEqual([]);
    press("Enter");
    paste(photo);
    press("Enter");
    expect(onSend.mock.calls.slice(1)).toEqual([["", [photo]]]);
  });

  it("files are removed one by one, also if two have the same name", () => {
    const { body, onSend, paste, fileNames, press } = composer();
    const other = new File(["other"], "letter.txt");
    paste(letter, photo, other);
    body.one("Remove photo.png").fire("click");
    expect(fileNames()).toEqual(["letter.txt", "letter.txt"]);
    body.all("Remove letter.txt")[0]?.fire("click");
    press("Enter");

    expect(onSend.mock.calls[0]?.[1]).toHaveLength(1);
    expect(onSend.mock.calls[0]?.[1][0]).toBe(other);
  });

  it("files are kept while a run is active", () => {
    const { paste, press, fileNames, onSend } = composer({ isAnswering: true });
    paste(letter);
    press("Enter");

    expect(fileNames()).toEqual(["letter.txt"]);
    expect(onSend).not.toHaveBeenCalled();
  });

  it.each([poet, mailing, undefined])("files are refused, and cannot be attached, for %j", (chosen) => {
    const { body, onSend, paste, fireOnWindow, fileNames } = composer({ chosen });
    paste(letter);
    expect(fireOnWindow("drop", dropped(letter))).toBe(true);

    expect(fileNames()).toEqual([]);
    expect([...body.all("Attach files"), ...body.all("Files")]).toHaveLength(0);
    expect(onSend).not.toHaveBeenCalled();
  });

  it.each([poet, mailing])("files that were attached before the choice of %j are not sent to it", (chosen) => {
    const { body, onSend, paste, type, press, showWith, fileNames } = composer();
    paste(letter);
    showWith({ chosen });
    expect(fileNames()).toEqual([]);
    type("Hi");
    press("Enter");

    expect(onSend.mock.calls).toEqual([["Hi", []]]);
    expect(body.one("Send").attributes["aria-disabled"]).toBe(String(chosen === poet));
  });

  it("files come back when a runnable is chosen again that takes files, and are sent once", () => {
    const { onSend, paste, type, press, showWith, fileNames } = composer();
    paste(letter);
    showWith({ chosen: poet });
    type("Hi");
    press("Enter");
    showWith({ chosen: reader });
    expect(fileNames()).toEqual(["letter.txt"]);
    press("Enter");
    press("Enter");

    expect(onSend.mock.calls).toEqual([
      ["Hi", []],
      ["", [letter]],
    ]);
  });

  it("files are chosen in the dialog that the button opens", () => {
    const { body } = composer();
    body.one("Attach files").fire("click");

    expect(body.one("Files").clicks).toBe(1);
    expect(body.one("Files").attributes).toMatchObject({ type: "file", multiple: "true", hidden: "true" });
  });

  it("files are not taken from a drop while the composer is hidden, or from a drag of text", () => {
    const { body, fireOnWindow, fileNames } = composer();
    expect(fireOnWindow("dragover", { dataTransfer: { types: ["text/plain"], files: [] } })).toBe(false);
    expect(fireOnWindow("dragover", dropped())).toBe(true);
    expect(fireOnWindow("drop", { dataTransfer: { types: ["text/plain"], files: [] } })).toBe(false);
    expect(fireOnWindow("drop", { dataTransfer: null })).toBe(false);
    body.one("form").isVisible = false;
    expect(fireOnWindow("drop", dropped(letter))).toBe(true);
    expect(fileNames()).toEqual([]);
    body.one("form").isVisible = true;
    fireOnWindow("drop", dropped(letter));
    expect(fileNames()).toEqual(["letter.txt"]);
  });

  it("a paste without a clipboard adds no files", () => {
    const { field, fileNames } = composer();
    field().fire("paste", { clipboardData: null });

    expect(fileNames()).toEqual([]);
  });
});
