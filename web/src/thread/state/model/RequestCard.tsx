import { countOf } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import styles from "../state.module.css";
import { Value } from "../Value";
import { type ModelRequest, toolName } from "./modelRequest";

/** What a model is asked with beside the messages, as far as it is on record. */
export function RequestCard({ request }: { request: ModelRequest }) {
  const { model, tools, parameters } = request;
  return (
    <section className={styles["request"]} aria-label="Beside the messages" tabIndex={0}>
      <Line name="Model">{model !== null && <Value value={model} label="model" />}</Line>
      <Line name="Parameters">
        {parameters !== null && <JsonTree value={parameters} label="Parameters" />}
      </Line>
      <Line name="Tools">
        {tools !== null && (
          <details>
            <summary>{countOf(tools.length, "definition")}</summary>
            {tools.map((tool, index) => (
              <details key={index}>
                <summary>
                  <code>{toolName(tool)}</code>
                </summary>
                <Value value={tool} label={`definition of ${toolName(tool)}`} open={2} />
              </details>
            ))}
          </details>
        )}
      </Line>
    </section>
  );
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <b>{name}</b>{" "}
      {children === false ? <span className={styles["note"]}>not on record</span> : children}
    </div>
  );
}
