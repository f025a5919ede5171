import { describe } from "vitest";
import { trySessions } from "./session-trials.ts";

const postgresUrl = process.env["TROUPE_TEST_POSTGRES_URL"] ?? "";
const mongodbUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

describe.skipIf(postgresUrl === "")("a session in PostgreSQL", { timeout: 120_000 }, () => {
  trySessions(() => ({ kind: "postgres", address: postgresUrl }));
});

describe.skipIf(mongodbUrl === "")("a session in MongoDB", { timeout: 120_000 }, () => {
  trySessions(() => ({ kind: "mongodb", address: mongodbUrl }));
});
