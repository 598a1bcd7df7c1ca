/* A code written for the Servet 3.0 paper: only its names, and the header by its own name. */
#include <servet.h>
#include <stdio.h>

int main(void) {
  degr_desc info;
  if (load_degr_info(&info) != 0) return 1;
  printf("%.2f %.2f\n", get_network_dist_ratio(&info, 2), get_network_access_ratio(&info, 4));
  release_degr_info(&info);
  return 0;
}
