import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, serverUrl } from "../test/test-schemas.ts";
import { PostgresStorage } from "./index.ts";
import type { PostgresOptions } from "./index.ts";

const hasServer = serverUrl !== "";
const password = "s3cret/päss%word";
const encoded = encodeURIComponent(password);

let server: PostgresServer;
beforeAll(async () => {
  if (!hasServer) return;
  server = await PostgresServer.create();
  await ask(`create role ann login password '${password}'`, server.url);
  await ask("create database app owner ann", server.url);
  const [{ hba_file: file } = {}] = await ask("show hba_file", server.url);
  const rules = "host all troupe all trust\nhost all all all scram-sha-256";
  await ask(`copy (select unnest(string_to_array('${rules}', E'\\n'))) to '${String(file)}'`, server.url);
  await ask("select pg_reload_conf()", server.url);
}, 60_000);
afterAll(async () => await server?.close());
afterEach(() => void vi.unstubAllEnvs());

/** The URL of the server for a role with a password. */
function urlWith(parts: Partial<Pick<URL, "username" | "password" | "port" | "hostname" | "pathname">> = {}): string {
  return Object.assign(new URL(server.url), { username: "ann", password: encoded, pathname: "/app", ...parts }).href;
}

function open(url: string, options: PostgresOptions = {}): PostgresStorage {
  const storage = new PostgresStorage(url, options);
  onTestFinished(async () => await storage.close());
  return storage;
}

/** Everything that a log or a debugger could print of a value. */
function everythingOf(value: unknown): string {
  const chain = value instanceof Error && value.cause !== undefined ? everythingOf(value.cause) : "";
  return [inspect(value, { depth: null, showHidden: true, getters: true }), JSON.stringify(value), chain].join("\n");
}

describe.skipIf(!hasServer)("PostgresStorage's password", () => {
  it("is decoded from the connection string", async () => {
    expect(await open(urlWith()).get("ns", "k")).toBeNull();
  });

  it.each([
    ["the login is refused", () => urlWith({ password: `${encoded}-wrong` }), "refused the login"],
    ["the role does not exist", () => urlWith({ username: "bob" }), "refused the login"],
    ["the database does not exist", () => urlWith({ pathname: "/none" }), "has no such database"],
    ["no server listens", () => urlWith({ port: "1" }), "cannot be reached (ECONNREFUSED)"],
    ["the host does not exist", () => urlWith({ hostname: "nowhere.invalid" }), "cannot be reached (E"],
  ])("is in no part of the error when %s", async (_, url, problem) => {
    const storage = open(url());
    const error = await storage.get("ns", "k").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringContaining(problem) });
    expect((error as Error).cause).toBeInstanceOf(Error);
    for (const hidden of [password, encoded, "s3cret"]) expect(everythingOf([error, storage])).not.toContain(hidden);
  });

  it("is in no part of the error when a statement fails, and the value to be stored is not either", async () => {
    const storage = open(urlWith(), { schema: "mine" });
    await storage.get("ns", "k");
    await ask("alter table mine.troupe_records add check (length(value) < 10)", urlWith());
    const error = await storage.set("ns", "k", "the text of a prompt").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "storage_unavailable", cause: { code: "23514" } });
    for (const hidden of ["s3cret", "a prompt"]) expect(everythingOf(error)).not.toContain(hidden);
  });

  it("is in no part of the error when the table is dropped while it is in use", async () => {
    const storage = open(urlWith(), { schema: "gone" });
    await storage.get("ns", "k");
    await ask("drop schema gone cascade", urlWith());
    const error = await storage.get("ns", "k").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("dropped while in use"),
    });
    expect(everythingOf(error)).not.toContain("s3cret");
  });
});

describe.skipIf(!hasServer)("PostgresStorage's environment", () => {
  it("does not change the connection", async () => {
    const nonsense = {
      PGHOST: "nowhere.invalid",
      PGPORT: "1",
      PGUSER: "nobody",
      PGPASSWORD: "nonsense",
      PGDATABASE: "none",
      PGSSLMODE: "require",
      PGSSLNEGOTIATION: "direct",
      PGAPPNAME: "nonsense",
      PGOPTIONS: "-c default_transaction_read_only=on",
      PGCONNECT_TIMEOUT: "nonsense",
      PGCLIENT_ENCODING: "LATIN1",
      PGREPLICATION: "database",
      PGBINARY: "1",
    };
    for (const [name, value] of Object.entries(nonsense)) vi.stubEnv(name, value);
    const storage = open(urlWith());
    await storage.set("ns", "k", "é😀");

    expect(await storage.get("ns", "k")).toBe("é😀");
    vi.unstubAllEnvs();
    expect(
      await ask("select count(*)::int from pg_stat_activity where application_name = 'troupe'", server.url),
    ).toEqual([{ count: 1 }]);
  });

  it("does not supply a password, neither directly nor through a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-passwords-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "passwords"), `*:*:*:*:${password}`);
    chmodSync(join(folder, "passwords"), 0o600);
    vi.stubEnv("PGPASSWORD", password);
    vi.stubEnv("PGPASSFILE", join(folder, "passwords"));

    await expect(open(urlWith({ password: "" })).get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});
