export { createAgentGateway } from "./create-agent-gateway.ts";
export type { AgentGateway } from "./create-agent-gateway.ts";
export type {
  ClientError,
  RunEventBase,
  GatewayClientEvents,
  GatewayServerEvents,
  RunIds,
  RunPayload,
} from "./events.ts";
export type { GatewayOptions, SocketMiddleware } from "./gateway-options.ts";
