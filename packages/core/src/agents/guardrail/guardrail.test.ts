import { expect, it } from "vitest";
import { guardrailsOption } from "./guardrail.ts";

const read = (config: unknown) => guardrailsOption(config, "guardrails", {});

const check = () => ({ pass: true }) as const;

it("Guardrail takes guardrails on one side, on both, and on none", () => {
  class Named {
    readonly name = "named";
    readonly words = ["state of its own"];
    check = check;
  }

  const configs = [{}, { input: [] }, { output: [{ name: "a", check, incremental: true }] }];
  for (const config of [...configs, { input: [new Named()] }]) expect(() => read(config)).not.toThrow();
});

it.each<[unknown, string]>([
  [null, "guardrails must be an object, got null."],
  [[], "guardrails must be an object, got an array."],
  [{ inputs: [] }, 'Unknown option "inputs" of guardrails. Expected input or output.'],
  [{ input: { name: "a", check } }, "guardrails.input must be an array of guardrails, got an object."],
  [{ output: [check] }, "guardrails.output[0] must be an object, got a function."],
  [{ input: [{ name: "a", check }, null] }, "guardrails.input[1] must be an object, got null."],
  [{ input: [{ check }] }, "guardrails.input[0].name must be a string that is not blank"],
  [{ input: [{ name: " ", check }] }, "guardrails.input[0].name must be a string that is not blank"],
  [{ input: [{ name: "a" }] }, "guardrails.input[0].check must be a function"],
  [{ input: [{ name: "a", check, incremental: "yes" }] }, "guardrails.input[0].incremental must be true or false"],
  [{ input: [{ name: "a", check, replace: "b" }] }, 'Unknown option "replace" of guardrails.input[0]'],
])("rejects %o and names the option", (config, message) => {
  expect(() => read(config)).toThrow(
    expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
  );
});
