import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessQuery } from "../../app/access";
import { keepNameOfReader, nameOfReader } from "./queries";
import styles from "./remarks.module.css";

/** The name that remarks are signed with: of who signed in, else one that this browser keeps. */
export function NameField() {
  const { data: access } = useQuery(accessQuery);
  const [name, setName] = useState(nameOfReader);
  if (access?.user != null) {
    return (
      <p className={styles["soft"]}>
        Signed in as <bdi>{access.user}</bdi>
      </p>
    );
  }
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
