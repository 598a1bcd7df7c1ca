/* Opens a library for itself alone, and calls its function run() in MPI. opener LIBRARY */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    puts(dlerror());
    return 1;
  }
  ((void (*)(void))dlsym(library, "run"))();
  MPI_Finalize();
  return 0;
}
