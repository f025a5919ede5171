import { expect, it } from "vitest";
import { GuardrailError } from "./guardrail-error.ts";
import { TroupeError } from "./troupe-error.ts";

it("GuardrailError names the guardrail, the side and the reason", () => {
  const error = new GuardrailError({ guardrail: "no-addresses", side: "output", reason: "It holds an address." });

  expect(error).toMatchObject({
    name: "GuardrailError",
    code: "guardrail_blocked",
    message: 'The output was refused by the guardrail "no-addresses": It holds an address.',
    guardrail: "no-addresses",
    side: "output",
    fields: { guardrail: "no-addresses", side: "output" },
  });
  expect(TroupeError.is(error)).toBe(true);
});
