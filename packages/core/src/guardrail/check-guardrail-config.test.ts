import { expect, it } from "vitest";
import { checkGuardrailConfig } from "./check-guardrail-config.ts";

const check = () => ({ pass: true }) as const;

it("takes guardrails on either side, on both, and none", () => {
  class Named {
    readonly name = "named";
    readonly words = ["state of its own"];
    check = check;
  }

  const configs = [undefined, {}, { input: [] }, { output: [{ name: "a", check, incremental: true }] }];
  for (const config of [...configs, { input: [new Named()] }]) expect(() => checkGuardrailConfig(config)).not.toThrow();
});

it.each<[unknown, string]>([
  [null, "guardrails must be { input?, output? }"],
  [[], "guardrails must be { input?, output? }"],
  [{ inputs: [] }, 'Unknown option "inputs" of guardrails. Expected input or output.'],
  [{ input: { name: "a", check } }, "guardrails.input must be a list of guardrails"],
  [{ output: [check] }, "guardrails.output[0] must be a guardrail"],
  [{ input: [{ name: "a", check }, null] }, "guardrails.input[1] must be a guardrail"],
  [{ input: [{ check }] }, "guardrails.input[0].name must be a text that is not blank"],
  [{ input: [{ name: " ", check }] }, "guardrails.input[0].name must be a text that is not blank"],
  [{ input: [{ name: "a" }] }, "guardrails.input[0].check must be a function"],
  [{ input: [{ name: "a", check, incremental: "yes" }] }, "guardrails.input[0].incremental must be true or false"],
  [{ input: [{ name: "a", check, replace: "b" }] }, 'Unknown option "replace" of guardrails.input[0]'],
])("refuses %o with the option's name", (config, message) => {
  expect(() => checkGuardrailConfig(config as object)).toThrow(
    expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
  );
});
