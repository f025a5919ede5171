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
    [{ kind: "approval", about: pay }, "May pay be called?", ["Approve", "Refuse", "Change arguments"]],
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

  it("explains a doubt and an upgrade, and what each answer will do [page.approval]", () => {
    const doubt = show({ kind: "doubt", about: pay }).body;
    expect(doubt.text).toContain("It does not know if the call took effect.");
    expect(
      doubt
        .one("Answers")
        .all("b")
        .map(({ text }) => text),
    ).toEqual(["It happened", "Call it again", "Give up"]);
    expect(doubt.one("Answers").all("li")[1]?.text).toBe("Call it again: If it did happen, it then happens twice.");
    const upgrade = show({ kind: "upgrade", about: {} }).body;
    expect(
      upgrade
        .one("Answers")
        .all("li")
        .map(({ text }) => text),
    ).toEqual(["Try again: The run goes on with what the service has now.", "Give up: The run ends here."]);
    expect(show({ kind: "approval", about: pay }).body.all("Answers")).toEqual([]);
  });

  it("approves a call with arguments that were changed, and with no others than an object [page.approval]", async () => {
    const { body, onAnswer } = show({ kind: "approval", about: pay });
    const press = (label: string) =>
      body
        .all("button")
        .find(({ text }) => text === label)
        ?.fire("click");
    press("Change arguments");
    const field = body.one("textarea");
    expect(field.value).toBe('{\n  "amount": 1\n}');
    for (const typed of ["{", "[1]", '"é"', "null"]) {
      field.value = typed;
      field.fire("input");
      press("Approve");
      expect(body.all("p").at(-1)?.text).toBe("The arguments must be an object in JSON.");
    }
    expect(onAnswer).not.toHaveBeenCalled();
    field.value = '{"amount":2,"to":"Zoë"}';
    field.fire("input");
    press("Approve");

    await vi.waitFor(() =>
      expect(onAnswer.mock.calls).toEqual([["w1", { approved: true, args: { amount: 2, to: "Zoë" } }]]),
    );
  });

  it("approves a call with its own arguments unless they are changed", async () => {
    const { body, onAnswer } = show({ kind: "approval", about: pay });
    body.all("button")[0]?.fire("click");

    await vi.waitFor(() => expect(onAnswer.mock.calls).toEqual([["w1", { approved: true }]]));
  });
});
