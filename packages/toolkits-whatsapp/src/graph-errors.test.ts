import type { ServiceReply } from "@troupe-internal/toolkit";
import { describe, expect, it } from "vitest";
import { explainGraphError } from "./graph-errors.ts";

const explain = (body: unknown) => explainGraphError({ tryJson: () => body } as unknown as ServiceReply);
const problemsOf = (codes: readonly number[]) => codes.map((code) => explain({ error: { code } })?.problem);

/** The codes of the Graph API, without those between 200 and 299. */
const allCodes = [
  [0, 200],
  [299, 400],
  [80007, 80007],
  [130400, 130500],
  [131000, 131100],
  [132000, 132100],
  [133000, 133100],
].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));

describe("explainGraphError", () => {
  it.each<[string, number[]]>([
    ["credential_refused", [0, 190]],
    [
      "forbidden",
      [3, 10, 200, 201, 299, 368, 130472, 130497, 131005, 131030, 131031, 131037, 131042, 131045, 131050, 133010],
    ],
    ["rate_limited", [4, 80007, 130429, 131048, 131056]],
    ["unavailable", [2, 131016, 131057]],
    ["not_found", [132001]],
    [
      "refused",
      [33, 100, 131008, 131009, 131021, 131026, 131047, 131049, 131051, 132000, 132005, 132007, 132012, 132015, 132016],
    ],
  ])("is %s for the codes %j", (problem, codes) => {
    expect(problemsOf(codes)).toEqual(codes.map(() => problem));
  });

  it.each<[happened: string, codes: number[]]>([
    ["refused the access token, which is wrong, expired or revoked", [0, 190]],
    ["refused the request because the access token lacks a permission", [3, 10, 200, 299, 131005]],
    ["refused the message because too many were sent", [4, 80007, 130429, 131048]],
    ["refused the message because too many were sent to this recipient", [131056]],
    ["knows no number of this phoneNumberId", [33]],
    ["refused an argument of the message", [100, 131009, 131051]],
    ["misses a parameter of the message", [131008]],
    ["does not send a message to the number that sends it", [131021]],
    ["cannot deliver to this recipient", [131026]],
    ["sends from a test number only to recipients on its list", [131030]],
    ["takes a free text only within 24 hours after the recipient's last message", [131047]],
    ["did not deliver the message, to protect the recipient from too many marketing messages", [131049]],
    ["sends no marketing messages to this recipient, who has stopped them", [131050]],
    ["did not send the message, because the recipient is part of an experiment", [130472]],
    ["does not let this account send messages: it is restricted, locked or has broken a policy", [368, 131031]],
    ["does not let this account send to the recipient's country", [130497]],
    ["refused the message because of the payment method of the account", [131042]],
    ["has not registered the number that sends", [131037, 131045, 133010]],
    ["got another number of parameters than the template has", [132000]],
    ["has no approved template of this name in this language", [132001]],
    ["refused the template because its text becomes too long", [132005]],
    ["refused the template because it breaks a policy", [132007]],
    ["got parameters of another kind than the template has", [132012]],
    ["has paused the template because of its low quality", [132015]],
    ["has switched off the template because of its low quality", [132016]],
  ])("says that WhatsApp %s for the codes %j alone", (happened, codes) => {
    const said = allCodes.filter((code) => explain({ error: { code } })?.happened === happened);
    expect(new Set(said)).toEqual(new Set(codes));
  });

  it("advises a way out for each cause of a refused message", () => {
    const adviceOf = (code: number) => explain({ error: { code } })?.advice;
    expect([131047, 131049, 131050, 131056, 132016, 133010, 2].map(adviceOf)).toEqual([
      "Send an approved template with whatsapp_send_template.",
      "Do not send it again within 24 hours.",
      "Do not send it again.",
      "Wait some minutes before the next message.",
      "Use another template.",
      "Calling again does not help: the operator has to register the number of phoneNumberId.",
      "Try again in some minutes.",
    ]);
  });

  it("knows nothing of other codes", () => {
    expect(problemsOf([1, 199, 300, 131000, -1, 190.5])).toEqual(Array.from({ length: 6 }));
    for (const code of ["190", null, undefined, [190], true]) expect(explain({ error: { code } })).toBeUndefined();
    for (const body of [undefined, null, "error", [], {}, { error: null }, { error: "190" }, { code: 190 }])
      expect(explain(body)).toBeUndefined();
  });

  it("knows a number that does not exist by the subcode of a wrong parameter, and of no other error", () => {
    const wrongNumber = expect.stringMatching(/no number of this phoneNumberId/) as string;
    const happened = (error: object) => explain({ error })?.happened;

    expect(happened({ code: 100, error_subcode: 33 })).toEqual(wrongNumber);
    expect(happened({ code: 33 })).toEqual(wrongNumber);
    for (const other of [{ code: 100 }, { code: 100, error_subcode: 34 }, { code: 190, error_subcode: 33 }])
      expect(happened(other)).not.toEqual(wrongNumber);
  });
});
