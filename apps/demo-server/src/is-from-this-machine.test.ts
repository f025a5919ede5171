import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFromThisMachine } from "./is-from-this-machine.ts";

/** Starts a server on all addresses that tells each sender if it is on this machine, and returns its port. */
async function serve(): Promise<number> {
  const app = express();
  app.use((request, response) => void response.json(isFromThisMachine({ native: request })));
  const server = app.listen(0, "0.0.0.0");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function ask({ host, lines = "", version = "1.1", address = "127.0.0.1" }: Asked): Promise<string | undefined> {
  const socket = connect(await serve(), address);
  socket.write(`GET / HTTP/${version}\r\nHost: ${host}\r\n${lines}Connection: close\r\n\r\n`);
  return (await socket.setEncoding("utf8").toArray()).join("").split("\r\n\r\n")[1];
}

type Asked = { host: string; lines?: string; version?: string; address?: string };

const outside = Object.values(networkInterfaces())
  .flatMap((each = []) => each)
  .find(({ family, internal }) => family === "IPv4" && !internal);

describe("isFromThisMachine", () => {
  it.each(["localhost:3000", "127.0.0.1:3000", "127.1.2.3", "[::1]:3000", "0.0.0.0:3000"])(
    "is true for a program on this machine that asks %s",
    async (host) => {
      expect(await ask({ host, lines: "Cookie: troupe_demo_visitor=x\r\nUser-Agent: curl\r\n" })).toBe("true");
    },
  );

  it.each(["demo.example:3000", "localhost.demo.example", "127.0.0.1.demo.example", `${hostname()}:3000`, "10.0.0.7"])(
    "is false for the name %s, which may lead here from elsewhere",
    async (host) => {
      expect(await ask({ host })).toBe("false");
    },
  );

  it.each([
    "X-Forwarded-For: 10.0.0.7",
    "X-Forwarded-Proto: https",
    "X-Real-IP: 10.0.0.7",
    "Forwarded: for=10.0.0.7",
    "Via: 1.1 proxy",
    "CF-Connecting-IP: 10.0.0.7",
    "True-Client-IP: 10.0.0.7",
    "X-Demo-User: grace",
  ])("is false behind a proxy, and for a user who is named, by the header %s", async (line) => {
    expect(await ask({ host: "localhost", lines: `${line}\r\n` })).toBe("false");
  });

  it("is false for HTTP/1.0, which proxies speak", async () => {
    expect(await ask({ host: "localhost", version: "1.0" })).toBe("false");
  });

  it.skipIf(outside === undefined)("is false for a connection to another address than a loopback one", async () => {
    expect(await ask({ host: "localhost", address: outside?.address ?? "" })).toBe("false");
  });
});
