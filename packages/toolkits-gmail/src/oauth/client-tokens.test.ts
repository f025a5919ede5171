import { contextWith } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { ClientTokens } from "./client-tokens.ts";

const tokensOf = (getAccessToken: () => Promise<string | null>) => new ClientTokens({ getAccessToken });
const own = async () => await Promise.resolve("ya29.own");

describe("ClientTokens", () => {
  it("asks the client at each call, and takes a token other than the refused one", async () => {
    let asked = 0;
    const tokens = tokensOf(async () => await Promise.resolve(`ya29.${(asked += 1)}`));

    expect(await tokens.getToken(contextWith())).toBe("ya29.1");
    expect(await tokens.getToken({ ...contextWith(), refused: "ya29.1" })).toBe("ya29.2");
  });

  it("refuses the token that Gmail has just refused, without naming it", async () => {
    const failing = tokensOf(own).getToken({ ...contextWith(), refused: "ya29.own" });

    await expect(failing).rejects.toMatchObject({
      code: "unauthorized",
      fields: { problem: "credential_refused" },
      message: expect.stringMatching(/^(?!.*ya29).*which has no other.*Authorize the client again\./),
    });
  });

  it.each<[what: string, getAccessToken: () => Promise<string | null>, advice: string]>([
    ["has no token", async () => await Promise.resolve(null), "Authorize the client first."],
    ["has a blank token", async () => await Promise.resolve(" "), "Authorize the client first."],
    ["fails", async () => await Promise.reject(new Error("secret")), "Check the client."],
  ])("says what to do when the client %s", async (_what, getAccessToken, advice) => {
    await expect(tokensOf(getAccessToken).getToken(contextWith())).rejects.toMatchObject({
      fields: { problem: "credential_missing" },
      message: expect.stringContaining(advice),
    });
  });

  it("stops waiting for the client when the call is aborted", async () => {
    const abort = new AbortController();
    const { promise: token, resolve } = Promise.withResolvers<string>();
    const waiting = tokensOf(async () => await token).getToken(contextWith(abort.signal));
    abort.abort();
    // A call that still waits gets this token.
    setImmediate(resolve, "ya29.late");

    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  });
});
