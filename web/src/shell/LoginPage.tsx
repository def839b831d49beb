import { Button, Divider, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useState, type FormEvent } from "react";
import { api, Problem } from "~/api/client";
import { signInQuery } from "~/api/queries";
import { ErrorPanel } from "~/components/feedback";
import { usePageTitle } from "~/components/PageHead";
import classes from "./Shell.module.css";

/** The way in: at the OpenID provider where there is one, and with a password. It leads to the page one asked for. */
export function LoginPage({ isLost }: { isLost: boolean }) {
  usePageTitle("Sign in");
  const ways = useQuery(signInQuery).data;
  return (
    <main className={classes.centered}>
      <Paper withBorder p="xl" w={410} maw="100%" radius="lg">
        <Stack>
          <div className={classes.loginHead}>
            <img src="/icon.svg" width={40} height={40} alt="" />
            <div>
              <Title order={1} size="h3">
                Sign in to ADE
              </Title>
              <Text size="sm" c="dimmed" style={{ textWrap: "balance" }}>
                Messy spreadsheets in, clean workbooks out
              </Text>
            </div>
          </div>
          {isLost && (
            <Text size="sm" role="status" className={classes.lost}>
              Your session has ended. Sign in again to continue where you were.
            </Text>
          )}
          {ways?.sign_on_url && (
            <>
              <Button component="a" href={signOnAddress(ways.sign_on_url)} leftSection={<LogIn size={16} />}>
                Sign in with your organisation
              </Button>
              {ways.has_password && <Divider label="or with a password" />}
            </>
          )}
          {ways?.has_password !== false && <PasswordForm isSecond={Boolean(ways?.sign_on_url)} />}
        </Stack>
      </Paper>
    </main>
  );
}

/** Where the browser goes to sign in, and comes back to this very page from. */
function signOnAddress(url: string): string {
  const { pathname, search } = window.location;
  return `${url}?${new URLSearchParams({ return_to: pathname + search }).toString()}`;
}

function PasswordForm({ isSecond }: { isSecond: boolean }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const login = useSignIn();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    login.mutate({ email, password });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {login.error && <Refusal error={login.error} />}
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus={!isSecond}
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" variant={isSecond ? "default" : "filled"} loading={login.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

/** A wrong password is no fault of the server: no trace, just the words. */
function Refusal({ error }: { error: unknown }) {
  if (!(error instanceof Problem) || error.status !== 401) return <ErrorPanel error={error} />;
  return (
    <Text size="sm" role="alert" className={classes.refused}>
      {error.detail}
    </Text>
  );
}

function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (who: { email: string; password: string }) => api.post("/session", who),
    onSuccess: () => client.invalidateQueries(),
  });
}
