import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunContext } from "../run/run-context.ts";
import { applyGuardrails } from "./apply-guardrails.ts";
import type { Guardrail } from "./guardrail.ts";
import { OutputGate } from "./output-gate.ts";
import { runContext } from "./test/run-context.ts";

const refusing = (word: string, incremental: boolean): Guardrail => ({
  name: `no ${word}`,
  incremental,
  check: (text) => (text.includes(word) ? { pass: false, reason: word } : { pass: true }),
});
const masking = (incremental: boolean): Guardrail => ({
  name: "masks digits",
  incremental,
  check: async (text) => ({ pass: true, replace: text.replace(/\d/g, "*") }),
});
/** Holds the last word back until it is over. */
const wordwise: Guardrail = {
  name: "wordwise",
  incremental: true,
  check: (text) => ({ pass: true, replace: text.slice(0, text.lastIndexOf(" ") + 1).replaceAll("secret", "******") }),
};

const gateOf = (...guardrails: Guardrail[]) => new OutputGate({ guardrails, context: runContext().context });

describe("OutputGate", () => {
  it("lets everything out at once, without a promise, when there are no guardrails", async () => {
    const gate = gateOf();

    expect([gate.push("a"), gate.push(""), gate.push("b")]).toEqual(["a", "", "b"]);
    expect(await gate.end()).toBe("");
  });

  it("holds the text back until it is whole when a guardrail wants it whole [agent.guardrails-output]", async () => {
    const gate = gateOf(masking(true), masking(false));

    expect([gate.push("a1"), gate.push("b2")]).toEqual(["", ""]);
    expect(await gate.end()).toBe("a*b*");
    expect(await gate.end()).toBe("");
  });

  it("lets out what has passed when all guardrails are incremental", async () => {
    const gate = gateOf(refusing("x", true), wordwise, masking(true));

    expect(await gate.push("a sec")).toBe("a ");
    expect(await gate.push("ret 1")).toBe("****** ");
    expect(await gate.push("2 3")).toBe("** ");
    expect(await gate.end()).toBe("");
  });

  it("checks the whole text so far, once for each piece that is not empty", async () => {
    const seen: string[] = [];
    const guardrail: Guardrail = {
      name: "g",
      incremental: true,
      check: (text) => ({ pass: seen.push(text) > 0 }) as { pass: true },
    };
    const gate = gateOf(guardrail);
    for (const piece of ["a", "", "b"]) await gate.push(piece);
    await gate.end();

    expect(seen).toEqual(["a", "ab"]);
  });

  it("checks an answer without text too", async () => {
    const guardrail: Guardrail = {
      name: "g",
      incremental: true,
      check: (text) => ({ pass: true, replace: text || "(nothing)" }),
    };

    expect(await gateOf(guardrail).end()).toBe("(nothing)");
  });

  it("lets nothing out after a refusal, even if the guardrail passes later text", async () => {
    const fickle: Guardrail = {
      name: "fickle",
      incremental: true,
      check: (text) => (text === "ab" ? { pass: false, reason: "b" } : { pass: true }),
    };
    const gate = gateOf(fickle);
    const refusal = { code: "guardrail_blocked", guardrail: "fickle", side: "output" };

    expect(await gate.push("a")).toBe("a");
    await expect(gate.push("b")).rejects.toMatchObject(refusal);
    await expect(gate.push("c")).rejects.toMatchObject(refusal);
    await expect(gate.end()).rejects.toMatchObject(refusal);
  });

  it("names the guardrail that replaced text which had gone out", async () => {
    const { context, lines } = runContext();
    const late: Guardrail = {
      name: "late",
      incremental: true,
      check: (text) => ({ pass: true, replace: text.replace("secret", "******") }),
    };
    const gate = new OutputGate({ guardrails: [masking(true), late, masking(true)], context });

    expect(await gate.push("secr")).toBe("secr");
    await expect(gate.push("et")).rejects.toMatchObject({
      code: "internal",
      message:
        'The guardrail "late" replaced text that it had let pass before, which an incremental guardrail must not, so nothing passes.',
    });
    expect(lines).toHaveLength(1);
  });

  it("stops waiting at once when the run is aborted", async () => {
    const { context, controller } = runContext();
    const hangs: Guardrail = { name: "hangs", incremental: true, check: async () => await new Promise(() => {}) };
    const pushed = new OutputGate({ guardrails: [hangs], context }).push("a");
    controller.abort();

    await expect(pushed).rejects.toMatchObject({ code: "cancelled" });
  });

  it("lets out the same text however it is split, and never text that was refused", async () => {
    const { context } = runContext();
    const guardrail = fc.constantFrom(
      masking(true),
      masking(false),
      refusing("x", true),
      refusing("yx", false),
      wordwise,
    );
    const pieces = fc.array(fc.string({ unit: fc.constantFrom("x", "y", "1", " ", "secret"), maxLength: 4 }), {
      maxLength: 8,
    });

    await fc.assert(
      fc.asyncProperty(fc.array(guardrail, { maxLength: 3 }), pieces, async (guardrails, split) => {
        const whole = await outcomeOf(applyGuardrails(split.join(""), { guardrails, side: "output", context }));
        const { released, end } = await pass(split, { guardrails, context });

        expect(end).toEqual(whole.refusedBy === undefined ? {} : { refusedBy: whole.refusedBy });
        // Of a refused text there may be a beginning outside, which by itself passes.
        const expected = whole.text ?? (await applyGuardrails(released, { guardrails, side: "output", context }));
        expect(released).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

async function pass(split: string[], check: { guardrails: Guardrail[]; context: RunContext }) {
  const gate = new OutputGate(check);
  let released = "";
  const { refusedBy } = await outcomeOf(
    (async () => {
      for (const piece of split) released += await gate.push(piece);
      released += await gate.end();
      return "";
    })(),
  );
  return { gate, released, end: refusedBy === undefined ? {} : { refusedBy } };
}

async function outcomeOf(checked: Promise<string>): Promise<{ text?: string; refusedBy?: string }> {
  return await checked.then(
    (text) => ({ text }),
    (error: unknown) => ({ refusedBy: (error as { guardrail: string }).guardrail }),
  );
}
