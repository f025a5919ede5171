import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readTokenFile, withToken } from "./token-file.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "gmail-token-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readText = async (text: string) => {
  const path = join(folder, "token.json");
  writeFileSync(path, text);
  return await readTokenFile(path);
};
const read = async (fields: object) => await readText(JSON.stringify(fields));
/** The tokens of a file with these fields beside a refresh token. */
const tokensOf = async (fields: object) => (await read({ refresh_token: "1//r", ...fields })).tokens;

describe("a token file", () => {
  it("keeps all of its fields", async () => {
    const fields = { access_token: "a", scope: "s", other: [null, { deep: true }] };

    expect((await read(fields)).fields).toEqual(fields);
  });

  it.each<[string, object, object]>([
    ["access_token", { access_token: "ya29.a" }, { accessToken: "ya29.a" }],
    ["token, of the Python library", { token: "ya29.a" }, { accessToken: "ya29.a" }],
    ["both, the first", { access_token: "ya29.a", token: "ya29.b" }, { accessToken: "ya29.a" }],
    ["an empty access_token and token", { access_token: "", token: "ya29.b" }, { accessToken: "ya29.b" }],
    ["a token with a space", { access_token: "ya29 a" }, {}],
    ["a token with a line break", { access_token: "ya29\n" }, {}],
    ["a token of other characters", { access_token: "yä29" }, {}],
    ["a token that is no string", { access_token: 7, token: ["a"] }, {}],
  ])("with %s", async (_title, fields, expected) => {
    expect(await tokensOf(fields)).toEqual({ refreshToken: "1//r", ...expected });
  });

  const time = Date.UTC(2026, 0, 2, 3, 4, 5);
  it.each<[object, number | undefined]>([
    [{ expiry_date: time }, time],
    [{ expiry_date: 0 }, 0],
    [{ expiry_date: time, expiry: "2020-01-01T00:00:00Z" }, time],
    [{ expiry_date: String(time) }, undefined],
    [{ expiry_date: null, expiry: "2026-01-02T03:04:05Z" }, time],
    [{ expiry: "2026-01-02T03:04:05Z" }, time],
    // Without a zone it is UTC, whatever that of this machine is.
    [{ expiry: "2026-01-02T03:04:05" }, time],
    [{ expiry: "2026-01-02T03:04:05.000001" }, time],
    [{ expiry: "2026-01-02T05:04:05+02:00" }, time],
    [{ expiry: "2026-01-02T00:04:05-0300" }, time],
    [{ expiry: "soon" }, undefined],
    [{ expiry: time }, undefined],
    [{}, undefined],
  ])("with %j expires at %s", async (fields, expiresAt) => {
    vi.stubEnv("TZ", "America/New_York");
    onTestFinished(() => void vi.unstubAllEnvs());

    expect((await tokensOf(fields)).expiresAt).toBe(expiresAt);
  });

  it("may hold the client", async () => {
    const client = { client_id: "id-1", client_secret: "s", token_uri: "https://tokens.example/" };

    expect((await tokensOf(client)).client).toMatchObject({
      clientId: "id-1",
      clientSecret: "s",
      tokenUrl: "https://tokens.example/",
    });
    expect(await tokensOf({ client_secret: "s" })).not.toHaveProperty("client");
    await expect(tokensOf({ ...client, token_uri: "http://tokens.example/" })).rejects.toMatchObject({
      code: "invalid_config",
    });
  });

  it.each(["", "{", "null", "7", "[]", '"ya29.a"', "{}", '{"client_id":"id-1"}', '{"access_token":"a b"}'])(
    "a token file without a token is refused, and not shown: %s",
    async (text) => {
      await expect(readText(text)).rejects.toMatchObject({
        code: "unauthorized",
        message: expect.stringMatching(/holds neither access_token nor refresh_token/) as string,
      });
    },
  );

  it("a token file that is missing is told as such", async () => {
    await expect(readTokenFile(join(folder, "none.json"))).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringMatching(/no readable file at tokenPath/) as string,
    });
  });
});

describe("a new token in the fields of a file", () => {
  const expiresAt = Date.UTC(2026, 0, 2, 3, 4, 5);
  const issued = { accessToken: "new", refreshToken: "1//new", expiresAt, scope: "s" };

  it("takes the names of the file, and leaves the others as they are", () => {
    const raw = { access_token: "old", refresh_token: "1//old", expiry_date: 1, scope: "old", token_type: "Bearer" };
    expect(withToken(raw, issued)).toEqual({
      access_token: "new",
      refresh_token: "1//new",
      expiry_date: expiresAt,
      scope: "s",
      token_type: "Bearer",
    });
    const python = { token: "old", refresh_token: "1//old", expiry: "2020-01-01T00:00:00Z", scopes: ["old"] };
    expect(withToken(python, issued)).toEqual({
      token: "new",
      refresh_token: "1//new",
      expiry: "2026-01-02T03:04:05.000Z",
      scopes: ["old"],
    });
  });

  it("keeps an earlier refresh token, but no earlier time: that was of another token", () => {
    const raw = { access_token: "old", refresh_token: "1//old", expiry_date: 1, expiry: "2020-01-01T00:00:00Z" };

    expect(withToken(raw, { accessToken: "new" })).toEqual({ access_token: "new", refresh_token: "1//old" });
    expect(withToken({ ...raw, token: "old" }, { accessToken: "new" })).toEqual({
      access_token: "old",
      token: "new",
      refresh_token: "1//old",
    });
    expect(withToken({}, issued)).toMatchObject({ access_token: "new", expiry_date: expiresAt });
    expect(raw.expiry_date).toBe(1);
  });
});
