import type { ServiceReply } from "@troupe-internal/toolkit";
import { describe, expect, it } from "vitest";
import { explainGraphError } from "./graph-errors.ts";

const explain = (body: unknown) => explainGraphError({ tryJson: () => body } as unknown as ServiceReply);
const problemsOf = (codes: readonly number[]) => codes.map((code) => explain({ error: { code } })?.problem);

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
