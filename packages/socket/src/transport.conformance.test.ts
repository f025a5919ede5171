import { checkConformance, transportCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { transports } from "../test/test-client.ts";
import { socketHarness } from "../test/transport-harness.ts";

describe.each(transports)("createAgentGateway as a transport, over %s", (transport) => {
  checkConformance(it, transportCases, { create: () => socketHarness(transport) });
});
