import { rulesOf } from "../rule.ts";

/** Rules of the agents of other services that are called over A2A. */
export const remoteAgentRules = [
  ...rulesOf("Remote A2A agent client configuration", {
    "remote.url": "a remote agent has a base URL",
    "remote.headers": "a remote agent sends its headers",
    "remote.name": "name overrides the discovered name",
    "remote.timeout": "a request may take 60000 ms by default",
    "remote.discover": "discover returns the agent card",
    "remote.run": "run runs the remote agent",
    "remote.stream": "stream yields the remote agent's chunks",
    "remote.as-tool": "asTool makes a tool of the remote agent",
    "remote.cached-card": "getAgentCard returns the cached agent card",
    "remote.runnable": "a remote agent runs in a team, in a workflow, and served by this service",
    "remote.options": "options of a run that cannot reach a remote agent are refused",
    "remote.versions": "the best version and binding that a card offers is spoken: 1.0, else 0.3, else 0.2",
    "remote.tenant": "the tenant of an interface comes back with each call",
    "remote.overpromise": "an agent that speaks less than its card promises is called in what it speaks",
    "remote.loopback": "an endpoint under another name of the same machine is called at the host of url",
    "remote.sdk-servers":
      "send, stream, get, cancel and resubscribe work with servers of the official SDKs 0.2.5, 0.3.14 and 1.3.0",
    "remote.context":
      "the turns of a session are one context of the remote agent, which learns neither session nor user",
    "remote.input-required": "a question of a remote agent is the answer of the run, and the next run answers it",
    "remote.cancel": "a run that ends early cancels its task at the remote agent",
    "remote.not-cancelled": "a task that could not be cancelled is a warning",
    "remote.both-sides": "a team with a local and a remote member that is cancelled stops on both sides",
    "remote.resume": "a stream that breaks off is resumed once, and after that the task is asked for",
    "remote.splits": "a stream may arrive in any pieces, with any line ends and comments",
    "remote.other-ids": "events and answers about other tasks are not taken for ours",
    "remote.failures": "an error names the remote agent and its failure, and has nothing of its words",
    "remote.bounds": "replies, events and answers of a remote agent are bounded in size",
    "remote.private": "no endpoint at a private address is connected to because a card names it",
    "remote.other-origins": "an endpoint at another origin gets no headers unless the host trusts it",
    "remote.redirects": "redirects of a remote agent are not followed",
    "remote.files": "files and data go to a remote agent and come from it as artifacts",
    "remote.answer":
      "the answer is the text of the artifacts, else of the status, else of the agent's last message, else data",
    "remote.usage": "the usage that a remote agent tells counts for the run, and our server tells it in streams too",
  }),
];
