import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import './design/base.css';
import './design/design.css';
import './shell/shell.css';
import { applyTheme } from './design/theme.ts';
import { reloadForNewRelease } from './shell/new-release.ts';
import { queryClient } from './shell/query-client.ts';
import { router } from './shell/routes.tsx';
import { watchReturns } from './shell/rows.ts';
import { allowEmptyMarkup } from './shell/trusted-types.ts';

allowEmptyMarkup();
reloadForNewRelease();
applyTheme();
watchReturns(router.history);

// A page that the browser has kept could show what somebody saw who has signed out since.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

// The router keeps positions of scrolling for the next load of the page, by addresses, which may hold what was searched.
addEventListener('pagehide', () => sessionStorage.clear());

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
