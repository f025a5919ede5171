import type { Wait } from "@troupe-internal/client";
import { createElement } from "preact";
import { describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { WaitForm } from "./wait-form.tsx";

function show(wait: Omit<Wait, "waitId">) {
  const onAnswer = vi.fn<(waitId: string, answer: object) => Promise<void>>().mockResolvedValue();
  vi.stubGlobal("document", { activeElement: null, body: {} });
  const draw = (props: Parameters<typeof WaitForm>[0]) => createElement(WaitForm, props);
  return { ...showOnPage(draw, { wait: { waitId: "w1", ...wait }, onAnswer }), onAnswer };
}

const pay = { toolName: "pay", args: { amount: 1 } };

describe("a wait of a run", () => {
  it.each<[Omit<Wait, "waitId">, title: string, buttons: string[]]>([
    [{ kind: "approval", about: pay }, "May pay be called?", ["Approve", "Refuse"]],
    [{ kind: "approval", about: null }, "May the tool be called?", ["Approve", "Refuse"]],
    [{ kind: "input", about: pay }, "What is the result of pay?", ["Send result", "It failed"]],
    [{ kind: "doubt", about: pay }, "pay was cut off. Did it happen?", ["It happened", "Call it again", "Give up"]],
    [{ kind: "upgrade", about: {} }, "The service has changed since this run began.", ["Try again", "Give up"]],
    [{ kind: "question", about: { question: "Où?", step: "s" } }, "Où?", ["Send answer"]],
    [{ kind: "question", about: { question: 7 } }, "This run asks for an answer.", ["Send answer"]],
    [{ kind: "event", about: { event: "paid", step: "s" } }, "This run waits for paid.", []],
    [{ kind: "sleep", about: { step: "s" } }, "This run waits, and goes on by itself.", []],
  ])("of %j has its title and its answers", (wait, title, buttons) => {
    const { body } = show(wait);

    expect(body.all("section")[0]?.attributes["aria-label"]).toBe(title);
    // Data has a button that copies it, with an icon alone.
    expect(body.all("button").flatMap(({ text }) => text || [])).toEqual(buttons);
  });

  it.each<[string, object]>([
    [" Oslo ", { result: "Oslo" }],
    ['{"city":"Oslo"}', { result: { city: "Oslo" } }],
  ])("sends %j as the answer to a question", async (typed, answer) => {
    const { body, onAnswer } = show({ kind: "question", about: { question: "Where?" } });
    const [field] = body.all("input");
    if (field !== undefined) field.value = typed;
    field?.fire("input");
    body.all("button")[0]?.fire("click");

    await vi.waitFor(() => expect(onAnswer).toHaveBeenCalledWith("w1", answer));
  });
});
