import { createAgentGateway } from "@troupe/socket";
import { serveSockets } from "./serve-socket.ts";

/** The gateway as it ships. */
serveSockets((io, agents) => createAgentGateway({ io, agents }).service.servedRuns);
