import { TroupeError } from "@troupe/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConnectionString } from "./read-connection-string.ts";

describe("reading a connection string", () => {
  it("takes every part of it [postgres.driver]", () => {
    const text = "postgresql://ann:p%40ss%2F@db.example:6432/app%20one?sslmode=require&channel_binding=require";

    expect(readConnectionString(`${text}&application_name=chat`)).toEqual({
      host: "db.example",
      port: 6432,
      user: "ann",
      password: "p@ss/",
      database: "app one",
      ssl: true,
      channelBinding: true,
      applicationName: "chat",
    });
  });

  it("gives back whatever was percent-encoded", () => {
    const part = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replaceAll("\0", "-"));

    fc.assert(
      fc.property(part, part, part, (user, password, database) => {
        const [inUrl = "", ...others] = [user, password, database].map(encodeURIComponent);
        const text = `postgres://${inUrl}:${others[0]}@localhost/${others[1]}`;
        expect(readConnectionString(text)).toMatchObject({ user, password, database });
      }),
      // Names that a URL's path would lose.
      {
        examples: [
          [".", ".", "."],
          ["..", "..", ".."],
        ],
      },
    );
  });

  it("leaves nothing open that it does not say", () => {
    expect(readConnectionString("postgres://ann@localhost")).toEqual({
      host: "localhost",
      port: 5432,
      user: "ann",
      password: "",
      database: "ann",
      ssl: false,
      channelBinding: true,
      applicationName: "troupe",
    });
  });

  it.each([
    ["postgres://ann@[::1]/app", "::1"],
    ["postgres://ann@%2Fvar%2Frun%2Fpostgresql/app", "/var/run/postgresql"],
  ])("takes the host of %s for %s", (text, host) => {
    expect(readConnectionString(text).host).toBe(host);
  });

  it.each([
    ["disable", false],
    ["no-verify", { rejectUnauthorized: false }],
    ["verify-full", true],
  ])("takes sslmode=%s", (mode, ssl) => {
    expect(readConnectionString(`postgres://ann@localhost/app?sslmode=${mode}`).ssl).toEqual(ssl);
  });

  it.each([
    ["", "must be postgres://"],
    ["s3cret", "must be postgres://"],
    ["mysql://ann:s3cret@localhost/app", "must be postgres://"],
    ["postgres://ann:s3cret@localhost:port/app", "must be postgres://"],
    ["postgres://ann:s3cret#1@localhost/app", "must be postgres://"],
    ["postgres://ann:s3cret%@localhost/app", "must be postgres://"],
    ["postgres://:s3cret@localhost/app", "with at least a user and a host"],
    ["postgres://localhost/app", "with at least a user and a host"],
    ["postgres://ann:s3cret@localhost/app?sslmode=prefer", "must have one of disable, no-verify"],
    ["postgres://ann:s3cret@localhost/app?sslmode=constructor", "as sslmode"],
    ["postgres://ann@localhost/app?password=s3cret", "Pass a pool to set others"],
  ])("refuses %j, and quotes none of it", (text, problem) => {
    const refused = (): unknown => readConnectionString(text);

    expect(refused).toThrow(TroupeError);
    expect(refused).toThrow(problem);
    expect(refused).not.toThrow("s3cret");
  });
});
