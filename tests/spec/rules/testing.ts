import { rulesOf } from "../rule.ts";

/** Rules for what third parties test their own implementations with. */
export const testingRules = rulesOf("Conformance suites (house rules A4)", {
  "testing.undeclared-gap": "a failed case says what was expected, what came, and how to declare a gap",
  "testing.unknown-gap": "a known gap that the suite has no case for, or that has no reason, is refused",
  "testing.closed-gap": "a known gap that passes is an error",
  "testing.model-without-vendor": "a model without a vendor passes the cases that apply and declares the others",
});
