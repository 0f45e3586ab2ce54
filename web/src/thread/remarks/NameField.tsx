import { useState } from "react";
import { keepNameOfReader, nameOfReader } from "./queries";
import styles from "./remarks.module.css";

/** The name that remarks are signed with; this browser keeps it. */
export function NameField() {
  const [name, setName] = useState(nameOfReader);
  return (
    <label className={styles["name"]}>
      Your name
      <input
        autoComplete="name"
        maxLength={100}
        value={name}
        onChange={({ target }) => {
          setName(target.value);
          keepNameOfReader(target.value);
        }}
      />
    </label>
  );
}
