import type { InspectedDelivery } from "../../src/inspector/inspected-run.ts";
import { formatCount } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";

/** The deliveries of a run's events to webhooks and subscriptions: each request and its outcome. */
export function Deliveries({ deliveries }: { deliveries: readonly InspectedDelivery[] }) {
  return (
    <details class="raw">
      <summary>
        Webhooks <small>{formatCount(deliveries.length)}</small>
      </summary>
      <ol tabIndex={0} aria-label="Deliveries of webhooks">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <code>{new Date(delivery.at).toLocaleString()}</code> <b>{delivery.type}</b>{" "}
            <span>{describe(delivery)}</span> <code>{toVisible(delivery.id)}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}

const receivers = {
  run: "to the run's webhook",
  service: "to a webhook of the service",
  subscription: "to a subscription",
} as const;

function describe({ webhook, status, attempts, problem, nextAt }: InspectedDelivery): string {
  const to = receivers[webhook];
  const tries = `${formatCount(attempts)} ${attempts === 1 ? "attempt" : "attempts"}`;
  const last = problem === undefined ? "" : `, last: ${toVisible(problem)}`;
  const next = nextAt === undefined || attempts === 0 ? "" : `, next at ${new Date(nextAt).toLocaleTimeString()}`;
  return `${status} ${to}, ${tries}${last}${next}`;
}
