import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readNumber, readRecipient, recipientParameter } from "./recipient.ts";
import type { RecipientOptions } from "./recipient.ts";

const environment = "WHATSAPP_RECIPIENT_WAID";
const [ann, bob, usual] = ["15551234567", "491701234567", "447700900123"];

beforeEach(() => void vi.stubEnv(environment, undefined));
afterEach(() => void vi.unstubAllEnvs());

/** Returns the recipient, or the code of the error. */
const recipientOf = (to: unknown, options: RecipientOptions = {}): unknown => {
  try {
    return readRecipient(to, options);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe("readNumber", () => {
  it.each([
    [ann, ann],
    [`+${ann}`, ann],
    ["+1 (555) 123-4567", ann],
    ["1.555.123.4567", ann],
    [` +${ann} `, ann],
    ["1234567", "1234567"],
    ["123456", undefined],
    ["123456789012345", "123456789012345"],
    ["1234567890123456", undefined],
    ["0123456789", undefined],
    ["+0123456789", undefined],
    ["++15551234567", undefined],
    ["1555+1234567", undefined],
    ["1555123456x", undefined],
    ["1555,1234567", undefined],
    ["1555\n1234567", undefined],
    ["١٥٥٥١٢٣٤٥٦٧", undefined],
    [`${ann}${" ".repeat(29)}`, ann],
    [`${ann}${" ".repeat(30)}`, undefined],
    ["", undefined],
    ["+", undefined],
  ])("%j is %s", (text, number) => {
    expect(readNumber(text)).toBe(number);
  });
});

describe("readRecipient", () => {
  it.each<[string, unknown, RecipientOptions, string]>([
    ["the number of the call", `+${ann}`, {}, ann],
    ["the usual one for none", undefined, { recipientWaid: usual }, usual],
    ["the usual one for an empty one", "", { recipientWaid: usual }, usual],
    ["the number of the call before the usual one", ann, { recipientWaid: usual }, ann],
    ["one that is allowed", "+1 555 123 4567", { allowedRecipients: [bob, ann] }, ann],
    ["the usual one although others are allowed", usual, { recipientWaid: usual, allowedRecipients: [ann] }, usual],
    [
      "the usual one for none, although others are allowed",
      "",
      { recipientWaid: usual, allowedRecipients: [ann] },
      usual,
    ],
    ["no other than those that are allowed", bob, { allowedRecipients: [ann] }, "forbidden"],
    [
      "no other than those that are allowed, and the usual one",
      bob,
      { recipientWaid: usual, allowedRecipients: [ann] },
      "forbidden",
    ],
    ["no beginning of one", ann.slice(0, -1), { allowedRecipients: [ann] }, "forbidden"],
    ["no longer one", `${ann}0`, { allowedRecipients: [ann] }, "forbidden"],
    ["none when no number is allowed", ann, { allowedRecipients: [] }, "forbidden"],
    ["none for none", undefined, {}, "invalid_request"],
    ["none for null", null, { recipientWaid: usual }, "invalid_request"],
    ["none for a number of JSON", Number(ann), {}, "invalid_request"],
    ["none for what is no number", "Ann", { allowedRecipients: ["Ann"] }, "invalid_request"],
    ["none for a blank", " ", { recipientWaid: usual }, "invalid_request"],
  ])("returns %s", (...[, to, options, expected]) => {
    expect(recipientOf(to, options)).toBe(expected);
  });

  it("takes the usual one of the environment, unless the option names one", () => {
    vi.stubEnv(environment, "+44 7700 900123");

    expect(recipientOf(undefined)).toBe(usual);
    expect(recipientOf(undefined, { recipientWaid: bob })).toBe(bob);
    expect(recipientOf(usual, { allowedRecipients: [ann] })).toBe(usual);
    expect(recipientOf(usual, { recipientWaid: bob, allowedRecipients: [ann] })).toBe("forbidden");
    vi.stubEnv(environment, "Ann");
    expect(recipientOf(undefined)).toBe("invalid_config");
    expect(recipientOf(undefined, { recipientWaid: bob })).toBe(bob);
  });
});

it("the parameter says if only some numbers are accepted", () => {
  expect(recipientParameter({ allowedRecipients: [ann] }).description).toMatch(
    /Only numbers that the operator has allowed/,
  );
  expect(recipientParameter({ recipientWaid: bob }).description).not.toMatch(/Only|49170/);
});
