import { connect } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createService } from "@troupe/core/service";
import { checkConformance, transportCases } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveLines } from "../../examples/serve-lines.ts";
import { linesHarness } from "./lines-client.ts";

// #region readme
describe("a transport over lines of JSON", () => {
  checkConformance(it, transportCases, { create: () => linesHarness });
});
// #endregion

describe("a line", () => {
  it("a line that is no JSON cuts its client off, and one that is no request is refused", async () => {
    const server = serveLines(createService({}));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    socket.write('[1]\n{"id":7,"do":"dance"}\n');
    let received = "";
    while (received.split("\n").length < 3) received += String((await once(socket, "data"))[0]);
    socket.write("dance\n");
    await once(socket, "close");

    const lines = received
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { id: null, error: { code: "invalid_request" } },
      { id: 7, error: { code: "invalid_request" } },
    ]);
  });
});
