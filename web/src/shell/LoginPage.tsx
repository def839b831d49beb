import { Button, Paper, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api } from "~/api/client";
import { ErrorPanel } from "~/components/feedback";
import classes from "./Shell.module.css";

export function LoginPage() {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => api.post("/session", { email, password }),
    onSuccess: () => client.invalidateQueries(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <main className={classes.centered}>
      <Paper withBorder p="xl" w={360} maw="100%">
        <form onSubmit={submit}>
          <Stack>
            <img src="/icon.svg" width={40} height={40} alt="" />
            <Title order={1} size="h3">
              Sign in to ADE
            </Title>
            {login.error && <ErrorPanel error={login.error} />}
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button type="submit" loading={login.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
