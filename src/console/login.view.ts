import { html } from 'ghtml'
import { layout } from './layout.ts'
import { postForm } from './post-form.ts'

interface LoginView {
  csrf: string
  next: string | null
  email: string
  problem?: string
}

export const loginPage = ({ csrf, next, email, problem }: LoginView): string =>
  layout(
    'Sign in',
    html`<h1>Sign in</h1>
      !${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
      !${postForm(
        '/login',
        csrf,
        html`<input type="hidden" name="next" value="${next ?? ''}">
        <label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
        <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
        <button type="submit">Sign in</button>`,
      )}`,
  )
