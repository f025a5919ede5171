import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import { GuardrailError } from "../../base/errors/guardrail-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { applyGuardrails, applyInputGuardrails } from "./apply-guardrails.ts";
import type { Guardrail } from "./guardrail.ts";
import { runContext } from "./test/run-context.ts";

const passes: Guardrail = { name: "passes", check: () => ({ pass: true }) };
const refuses: Guardrail = { name: "refuses", check: () => ({ pass: false, reason: "not here" }) };
const hangs: Guardrail = { name: "hangs", check: async () => await new Promise(() => {}) };
const replacing = (name: string, replace: (text: string) => string): Guardrail => ({
  name,
  check: async (text) => ({ pass: true, replace: replace(text) }),
});

const checkText = async (text: string, ...guardrails: Guardrail[]) =>
  await applyGuardrails(text, { guardrails, side: "output", context: runContext().context });

describe("applyGuardrails", () => {
  it("returns a text that all guardrails pass", async () => {
    expect(await checkText("text")).toBe("text");
    expect(await checkText("text", passes, passes)).toBe("text");
  });

  it("gives each guardrail what the one before it made of the text", async () => {
    const [loud, twice] = [replacing("loud", (text) => text.toUpperCase()), replacing("twice", (text) => text + text)];

    expect(await checkText("a", loud, passes, twice)).toBe("AA");
    expect(
      await checkText(
        "a",
        replacing("empty", () => ""),
        twice,
      ),
    ).toBe("");
  });

  it("throws the first refusal and calls no guardrail after it [agent.guardrails-output]", async () => {
    const asked: string[] = [];
    const later: Guardrail = { name: "later", check: (text) => ({ pass: asked.push(text) > 0 }) as { pass: true } };
    const refusal = await checkText("text", passes, refuses, later).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(GuardrailError);
    expect(refusal).toMatchObject({ code: "guardrail_blocked", guardrail: "refuses", side: "output" });
    expect(asked).toEqual([]);
  });

  it("gives the guardrail the context of the run and its own this", async () => {
    const { context } = runContext();
    class Words {
      readonly name = "words";
      readonly #words = ["bad"];
      check(text: string, given: unknown) {
        const reason = given === context ? "a bad word" : "another context";
        return this.#words.includes(text) ? ({ pass: false, reason } as const) : ({ pass: true } as const);
      }
    }

    const check = applyGuardrails("bad", { guardrails: [new Words()], side: "input", context });
    await expect(check).rejects.toMatchObject({ message: expect.stringContaining("a bad word") });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret detail");
      },
    ],
    ["rejects", async () => await Promise.reject(new Error("secret detail"))],
    [
      "throws what is no error",
      () => {
        throw "secret detail";
      },
    ],
  ])("lets nothing pass when a guardrail %s, and logs why", async (_, check) => {
    const { context, lines } = runContext();
    const checked = applyGuardrails("text", { guardrails: [{ name: "g", check }], side: "input", context });

    await expect(checked).rejects.toMatchObject({
      code: "internal",
      message: 'The guardrail "g" failed, so nothing passes: secret detail',
    });
    expect(toPublicError(await checked.catch((error: unknown) => error)).message).not.toContain("secret");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", guardrail: "g" });
    expect(lines[0]).toContain("secret detail");
  });

  it.each([
    undefined,
    null,
    true,
    "pass",
    {},
    { pass: 1 },
    { pass: "true" },
    { pass: true, replace: 5 },
    { pass: true, replace: null },
    { pass: false },
    { pass: false, reason: 5 },
    [{ pass: true }],
  ])("lets nothing pass on %o, which is no verdict", async (answer) => {
    const { context, lines } = runContext();
    const guardrail: Guardrail = { name: "g", check: () => answer as { pass: true } };
    const checked = applyGuardrails("text", { guardrails: [guardrail], side: "input", context });

    await expect(checked).rejects.toMatchObject({
      code: "internal",
      message: expect.stringMatching(
        /^The guardrail "g" returned something that is no verdict: expected \{ pass: true \}/,
      ),
    });
    expect(lines).toHaveLength(1);
  });

  it("stops waiting at once when the run is aborted, and leaves no listener", async () => {
    const { context, controller } = runContext();
    const checked = applyGuardrails("text", { guardrails: [hangs], side: "input", context });
    controller.abort();

    await expect(checked).rejects.toMatchObject({ code: "cancelled" });
    expect(getEventListeners(context.signal, "abort")).toEqual([]);
  });

  it("calls no guardrail when the run is aborted already", async () => {
    const { context, controller, lines } = runContext();
    controller.abort();
    let asked = 0;
    const guardrail: Guardrail = { name: "g", check: () => ({ pass: ++asked > 0 }) as { pass: true } };
    const checked = applyGuardrails("text", { guardrails: [guardrail], side: "input", context });

    await expect(checked).rejects.toMatchObject({ code: "cancelled" });
    expect([asked, lines]).toEqual([0, []]);
  });

  it("rejects as cancelled and logs nothing when a guardrail throws because of the abort", async () => {
    const { context, controller, lines } = runContext();
    const guardrail: Guardrail = {
      name: "g",
      check: (_, { signal }) => {
        controller.abort();
        signal.throwIfAborted();
        return { pass: true };
      },
    };
    const checked = applyGuardrails("text", { guardrails: [guardrail], side: "input", context });

    await expect(checked).rejects.toMatchObject({ code: "cancelled" });
    expect(lines).toEqual([]);
  });

  it("leaves no listener when all guardrails pass", async () => {
    const { context } = runContext();
    await applyGuardrails("text", { guardrails: [passes, passes], side: "input", context });

    expect(getEventListeners(context.signal, "abort")).toEqual([]);
  });
});

describe("applyInputGuardrails", () => {
  const image = { type: "image", data: "aGk=" } as const;
  const text = (words: string) => ({ type: "text", text: words }) as const;
  const loud = replacing("loud", (words) => words.toUpperCase());
  const checked = async (content: MessageContent, ...guardrails: Guardrail[]) =>
    await applyInputGuardrails(content, { guardrails, context: runContext().context });

  it("returns the same content when nothing was replaced [agent.guardrails-input]", async () => {
    const parts = [text("a"), image];

    expect(await checked("a", passes)).toBe("a");
    expect(await checked(parts, passes)).toBe(parts);
    expect(await checked(parts)).toBe(parts);
  });

  it("checks the text of all parts as one, as input", async () => {
    const seen: string[] = [];
    const guardrail: Guardrail = { name: "g", check: (words) => ({ pass: seen.push(words) < 2 }) as { pass: true } };
    await checked([text("a"), image, text("b")], guardrail);

    expect(seen).toEqual(["a\nb"]);
    await expect(checked("a", refuses)).rejects.toMatchObject({ side: "input" });
  });

  it.each<[string, MessageContent, MessageContent]>([
    ["a text", "a", "A"],
    ["one part", [text("a")], [text("A")]],
    ["text between others", [image, text("a"), image], [image, text("A"), image]],
    ["several texts", [image, text("a"), image, text("b")], [image, text("A\nB"), image]],
  ])("puts the new text in place of the first: %s", async (_, content, expected) => {
    expect(await checked(content, loud)).toEqual(expected);
  });

  it("puts new text before parts that had none, and does not change the caller's parts", async () => {
    const parts: MessageContent = [image, image];
    const worded = await checked(
      parts,
      replacing("words", () => "look"),
    );

    expect(worded).toEqual([text("look"), image, image]);
    expect(parts).toEqual([image, image]);
  });
});
